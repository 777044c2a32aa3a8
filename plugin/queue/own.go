// Package queue keeps what waits for an endpoint: prompts that it has and has not computed yet, and requests that a gateway holds back
// until there is room.
//
//	line  streams whose first token has not come, of any clients
//	own   one worker's prompts at an endpoint
//	hold  requests at gateways
//
// Tokens are those of prompts, to be computed. Time is an argument, in nanoseconds of one clock that may be set back.
package queue

// Own is the prompt tokens of one worker's requests at an endpoint that are not computed yet. A streamed response shows when its prompt is
// done; for the others, which are whole, only the speed of the endpoint is known.
type Own struct {
	Streams Line

	whole   float64 // tokens of requests whose response is whole, at wholeAt, with what attention takes more in long prompts
	deep    float64 // the share of that, 0 to 1
	wholeAt int64   // ns
	sent    Mark
}

// Mark is a place among all requests with whole responses that were sent to an endpoint: behind so many tokens.
type Mark struct {
	all   float64 // with what their attention takes more
	plain float64 // the tokens alone
}

// More is the place behind tokens more, whose attention takes deeper more.
func (m Mark) More(tokens, deeper float64) Mark {
	return Mark{m.all + tokens + deeper, m.plain + tokens}
}

// Enqueue puts a stream's tokens into the queue.
func (q *Own) Enqueue(now int64, tokens float64) {
	if q.Streams.Waiting == 0 {
		q.Streams.Begun = now
	}
	q.Streams.Waiting++
	q.Streams.Queued += tokens
}

// Grow adds tokens, or subtracts those below 0, to a stream's that waits.
func (q *Own) Grow(tokens float64) {
	if q.Streams.Waiting > 0 {
		q.Streams.Queued = max(q.Streams.Queued+tokens, 0)
	}
}

// Dequeue removes a stream's tokens: they are computed, or never will be.
func (q *Own) Dequeue(now int64, tokens float64) {
	l := &q.Streams
	if l.Waiting == 0 {
		return
	}
	l.Waiting--
	l.Ended = now
	if l.Queued -= tokens; l.Queued < 0 || l.Waiting == 0 {
		l.Queued = 0
	}
}

// AddWhole adds prompt tokens of a whole response, and deeper: what its attention takes beyond that of a usual prompt, in tokens. Numbers
// below 0 subtract. They are computed at perToken seconds each.
func (q *Own) AddWhole(now int64, perToken, tokens, deeper float64) {
	left := q.undone(now, perToken)
	q.leave(now, left+tokens+deeper, float64(left*q.plain())+tokens)
	q.sent = q.sent.More(tokens, deeper)
}

// Sent is the place of what was added last.
func (q *Own) Sent() Mark { return q.sent }

// EndWhole removes the prompt of a request that has ended, with what AddWhole added for it. If it was answered, the prompts that were queued
// before it, up to its place, are computed as well.
func (q *Own) EndWhole(now int64, perToken, tokens, deeper float64, answered bool, at Mark) {
	left := q.undone(now, perToken)
	plain := float64(left*q.plain()) - tokens
	left -= tokens + deeper
	if answered {
		left, plain = min(left, q.sent.all-at.all), min(plain, q.sent.plain-at.plain)
	}
	q.leave(now, left, plain)
}

// leave sets what is undone, and how much of it is prompt tokens.
func (q *Own) leave(now int64, undone, plain float64) {
	q.whole, q.wholeAt, q.deep = max(undone, 0), now, 0
	if undone > 0 {
		q.deep = min(max(1-plain/undone, 0), 1)
	}
}

// Wholes says whether tokens of whole responses are left, or were at the last change.
func (q *Own) Wholes() bool { return q.whole > 0 }

// Whole is what is left at now of the tokens of whole responses.
func (q *Own) Whole(now int64, perToken float64) float64 { return q.undone(now, perToken) * q.plain() }

// Left is the tokens of all that are not computed yet.
func (q *Own) Left(now int64, perToken float64) float64 {
	return q.Streams.Left(now, perToken) + q.Whole(now, perToken)
}

// undone is the time that is left of whole responses, in tokens of a prompt of usual depth.
func (q *Own) undone(now int64, perToken float64) float64 {
	if q.whole == 0 {
		return 0
	}
	return max(q.whole-Computed(now-q.wholeAt, perToken), 0)
}

// plain is the share of undone that is prompt tokens; the rest is attention of long prompts.
func (q *Own) plain() float64 { return 1 - q.deep }
