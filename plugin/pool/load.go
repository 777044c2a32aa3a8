package pool

// InFlight is the number of requests in flight at endpoint i, of all workers of the proxy.
func (p *Pool) InFlight(i int) int { return p.ends[i].own + p.ends[i].others }

// Counted is the number of requests in flight at endpoint i, of all gateways: what all have counted that decide alike.
func (p *Pool) Counted(i int) float64 { return float64(p.InFlight(i)) + p.ends[i].gateways.inFlight }

// OwnInFlight is the number of this worker's requests in flight at endpoint i.
func (p *Pool) OwnInFlight(i int) int { return p.ends[i].own }

// release counts one request fewer at endpoint i. A count never falls below zero: it would attract requests for ever.
func (p *Pool) release(i int) {
	p.ends[i].own = max(p.ends[i].own-1, 0)
	p.touch(i)
}

// enqueue counts one more request in flight at endpoint i, with tokens ≥ 0 of its prompt to compute there. streams says
// that the response is streamed, so that its first token shows when they are computed.
func (p *Pool) enqueue(i int, now int64, tokens float64, streams bool) {
	e := &p.ends[i]
	e.own++
	p.uncounted.send(tokens, streams)
	p.touch(i)
	faded := e.faded(now)
	e.recent, e.work, e.recentAt = e.recent*faded+1, e.work*faded+tokens, now
	e.health.probed(now)
	p.noteSend(i, now, tokens, streams)
	if !streams {
		p.moreUnseen(i, now, tokens, 0)
		return
	}
	p.queueStream(i, now, tokens)
}

// moreUnseen adds prompt tokens of a response that is not streamed, and deeper: what its attention takes beyond that of a usual prompt, in
// tokens. Numbers below 0 subtract.
func (p *Pool) moreUnseen(i int, now int64, tokens, deeper float64) {
	e := &p.ends[i]
	left := p.undone(i, now)
	e.leaveUnseen(now, left+tokens+deeper, float64(left*e.plain())+tokens)
	e.unseenIn, e.plainIn = e.unseenIn+tokens+deeper, e.plainIn+tokens
	p.touch(i)
}

// leaveUnseen sets what is undone, and how much of it is prompt tokens.
func (e *endpoint) leaveUnseen(now int64, undone, plain float64) {
	e.unseen, e.unseenAt, e.deep = max(undone, 0), now, 0
	if undone > 0 {
		e.deep = min(max(1-plain/undone, 0), 1)
	}
}

// queueStream puts a stream's tokens into the endpoint's queue.
func (p *Pool) queueStream(i int, now int64, tokens float64) {
	e := &p.ends[i]
	if e.waiting == 0 {
		e.begun = now
	}
	e.waiting++
	e.queued += tokens
	p.touch(i)
}

// finishUnseen removes the prompt of a request whose response is not streamed from its endpoint's queue: it has ended. If it was
// answered, the prompts that were queued before it are computed as well.
func (p *Pool) finishUnseen(f *Flight, now int64, answered bool) {
	e := &p.ends[f.endpoint]
	if !p.same(f) {
		return
	}
	left := p.undone(f.endpoint, now)
	plain := float64(left*e.plain()) - f.uncached
	left -= f.uncached + f.deeper
	if answered {
		left, plain = min(left, e.unseenIn-f.unseenTo), min(plain, e.plainIn-f.plainTo)
	}
	e.leaveUnseen(now, left, plain)
	p.touch(f.endpoint)
}

// dequeue removes a stream's tokens from the endpoint's queue: they are computed, or never will be. (Those of a response
// that is not streamed are also removed at the endpoint's speed: see drained.)
func (p *Pool) dequeue(i int, now int64, tokens float64) {
	e := &p.ends[i]
	if e.waiting == 0 {
		return
	}
	p.touch(i)
	e.waiting--
	e.ended = now
	if e.queued -= tokens; e.queued < 0 || e.waiting == 0 {
		e.queued = 0
	}
}

// ownQueue is the prompt tokens of this worker's requests at endpoint i that are not computed yet.
func (p *Pool) ownQueue(i int, now int64) float64 {
	q, perToken := &p.ends[i].pending, p.PerToken(i)
	line := q.line()
	return line.left(now, perToken) + q.drained(now, perToken)
}

// line is the streams that wait.
func (q *pending) line() Line { return Line{q.waiting, q.queued, q.begun, q.ended} }

// proxyLine is that of all workers of this proxy.
func (e *endpoint) proxyLine() Line { return e.line().With(e.workers.line) }

// drained is what is left at now of the tokens of responses that are not streamed.
func (q *pending) drained(now int64, perToken float64) float64 {
	return q.undone(now, perToken) * q.plain()
}

// undone is the time that is left of them, in tokens of a prompt of usual depth.
func (q *pending) undone(now int64, perToken float64) float64 {
	if q.unseen == 0 {
		return 0
	}
	return max(q.unseen-computed(now-q.unseenAt, perToken), 0)
}

// plain is the share of undone that is prompt tokens; the rest is attention of long prompts.
func (q *pending) plain() float64 { return 1 - q.deep }

// ProxyQueue is the prompt tokens at endpoint i that are not computed yet, of the requests of all workers of this proxy.
func (p *Pool) ProxyQueue(i int, now int64) float64 {
	e := &p.ends[i]
	line := e.proxyLine()
	return line.left(now, p.PerToken(i)) + p.drained(i, now)
}

func (p *Pool) undone(i int, now int64) float64 { return p.ends[i].undone(now, p.PerToken(i)) }

func (p *Pool) drained(i int, now int64) float64 { return p.ends[i].drained(now, p.PerToken(i)) }

// Late is the tokens that endpoint i could have computed since its next first token was due. Something holds it up: it has no memory for
// the prompt, computes others' prompts, or has become slow. 0 before the pool's speed is known.
func (p *Pool) Late(i int, now int64) float64 {
	if _, known := p.Speed(); !known {
		return 0 // it is not known when one is due
	}
	e := &p.ends[i]
	line := e.proxyLine()
	line.Ended = max(line.Ended, e.gateways.line.Ended) // their prompts are queued, and their first tokens show that it goes on
	return line.late(now, p.PerToken(i), p.Overhead(i))
}

// Queue is the prompt tokens at endpoint i that are not computed yet, of all workers' and gateways' requests, and those of others that its
// last page of metrics showed, as far as they probably still wait.
func (p *Pool) Queue(i int, now int64) float64 {
	e := &p.ends[i]
	line := e.proxyLine()
	return p.othersQueue(i, now) + p.gateways.left(line, e.gateways.line, p.likewise(i, line), now, p.PerToken(i)) + p.drained(i, now)
}
