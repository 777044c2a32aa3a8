package pool

import "warmroute/plugin/queue"

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
	p.Health.Begun(i, now)
	p.noteSend(i, now, tokens, streams)
	if !streams {
		p.moreUnseen(i, now, tokens, 0)
		return
	}
	p.queueStream(i, now, tokens)
}

// moreUnseen adds prompt tokens of a response that is not streamed, as queue.Own.AddWhole.
func (p *Pool) moreUnseen(i int, now int64, tokens, deeper float64) {
	p.ends[i].queue.AddWhole(now, p.PerToken(i), tokens, deeper)
	p.touch(i)
}

// queueStream puts a stream's tokens into the endpoint's queue.
func (p *Pool) queueStream(i int, now int64, tokens float64) {
	p.ends[i].queue.Enqueue(now, tokens)
	p.touch(i)
}

// finishUnseen removes the prompt of a request whose response is not streamed from its endpoint's queue: it has ended.
func (p *Pool) finishUnseen(f *Flight, now int64, answered bool) {
	if p.same(f) {
		p.ends[f.endpoint].queue.EndWhole(now, p.PerToken(f.endpoint), f.uncached, f.deeper, answered, f.place)
		p.touch(f.endpoint)
	}
}

// dequeue removes a stream's tokens from the endpoint's queue: they are computed, or never will be. (Those of a response
// that is not streamed are also removed at the endpoint's speed.)
func (p *Pool) dequeue(i int, now int64, tokens float64) {
	p.ends[i].queue.Dequeue(now, tokens)
	p.touch(i)
}

// ownQueue is the prompt tokens of this worker's requests at endpoint i that are not computed yet.
func (p *Pool) ownQueue(i int, now int64) float64 { return p.ends[i].queue.Left(now, p.PerToken(i)) }

// proxyLine is the streams that wait, of all workers of this proxy.
func (e *endpoint) proxyLine() queue.Line { return e.queue.Streams.With(e.workers.line) }

// ProxyQueue is the prompt tokens at endpoint i that are not computed yet, of the requests of all workers of this proxy.
func (p *Pool) ProxyQueue(i int, now int64) float64 {
	e := &p.ends[i]
	line := e.proxyLine()
	return line.Left(now, p.PerToken(i)) + p.drained(i, now)
}

// drained is what is left of the tokens of own responses that are not streamed.
func (p *Pool) drained(i int, now int64) float64 { return p.ends[i].queue.Whole(now, p.PerToken(i)) }

// Late is the tokens that endpoint i could have computed since all that wait there should have been. Something holds it up: it has no memory for
// the prompt, computes others' prompts, or has become slow. 0 before the pool's speed is known.
func (p *Pool) Late(i int, now int64) float64 {
	if _, known := p.Speed(); !known {
		return 0 // it is not known when one is due
	}
	e := &p.ends[i]
	line := e.proxyLine()
	line.Ended = max(line.Ended, e.gateways.line.Ended) // their prompts are queued, and their first tokens show that it goes on
	return line.Late(now, p.PerToken(i), p.Overhead(i))
}

// Queue is the prompt tokens at endpoint i that are not computed yet, of all workers' and gateways' requests, and those of others that its
// last page of metrics showed, as far as they probably still wait.
func (p *Pool) Queue(i int, now int64) float64 {
	e := &p.ends[i]
	line := e.proxyLine()
	return p.othersQueue(i, now) + p.gateways.left(line, e.gateways.line, p.likewise(i, line), now, p.PerToken(i)) + p.drained(i, now)
}
