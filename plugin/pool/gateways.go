package pool

import (
	"warmroute/plugin/queue"
	"warmroute/plugin/recent"
)

// What other gateways report of their requests, as package gossip brings it: they decide alike, so their load counts like that
// of this proxy's other workers, only that it is some milliseconds to tenths of a second old.

// gateways is the sum over the other gateways.
type gateways struct {
	requests float64 // sent recently to all endpoints
	at       int64   // when it was reported, ns

	place, count int // of this gateway among all; 0 and 0: not known
}

// NoteAtBound records that the decision of the last Look found an endpoint at its bound of load.
func (p *Pool) NoteAtBound() { p.boundAt = p.summaries.last }

// AtBound says whether one of the last minute did. Then one request more or less that counts decides where others go.
func (p *Pool) AtBound(now int64) bool {
	return p.boundAt != 0 && now >= p.boundAt && now-p.boundAt < recent.Span
}

// gatewayLoad is the sum over the other gateways for one endpoint.
type gatewayLoad struct {
	inFlight float64    // requests
	line     queue.Line // when it was reported
	work     float64    // prompt tokens sent recently
}

// ProxyRequests is what this proxy reports to other gateways: the requests that its workers sent recently to all endpoints.
func (p *Pool) ProxyRequests(now int64) float64 { return p.OwnRequests(now) + p.workers.requests }

// ProxyLoad is what it reports of an endpoint: prompt tokens sent recently, and what waits there.
func (p *Pool) ProxyLoad(i int, now int64) (work float64, line queue.Line) {
	_, work, line = p.OwnLoad(i, now)
	return work + p.ends[i].workers.work, line.With(p.ends[i].workers.line)
}

// ClearGateways forgets what other gateways have reported.
func (p *Pool) ClearGateways() {
	p.gateways = gateways{}
	p.likely.Clear()
	p.AtGateways.SetGateways(nil)
	for i := range p.ends {
		p.SetGatewayLoad(i, 0, 0, queue.Line{})
	}
}

// SetGatewayRequests sets the sum of the other gateways' ProxyRequests, and when they were asked.
func (p *Pool) SetGatewayRequests(requests float64, at int64) {
	p.gateways.requests, p.gateways.at = requests, at
}

// SetGatewayPlace sets this gateway's place among count; 0 and 0 if it is not known.
func (p *Pool) SetGatewayPlace(place, count int) { p.gateways.place, p.gateways.count = place, count }

// OtherGateways is how many others there are; 0 if it is not known.
func (p *Pool) OtherGateways() int { return max(p.gateways.count-1, 0) }

// Turn is the endpoint from which this gateway begins where it has no reason to prefer one: another one for each gateway, as far
// as there are so many.
func (p *Pool) Turn() (endpoint int) {
	if p.gateways.count < 2 || len(p.ends) == 0 {
		return 0
	}
	return min(p.gateways.place, p.gateways.count-1) * len(p.ends) / p.gateways.count
}

// left is what is left at now of the tokens of this proxy's line at an endpoint and of that which the other gateways have
// reported. Up to their report the first of all was computed, and more as far as one of this proxy's first tokens shows it; since then
// as many of theirs as there was time for, and no more than the first of this proxy's.
func (g *gateways) left(own, theirs, likewise queue.Line, now int64, perToken float64) float64 {
	if own.Ended > max(theirs.Ended, g.at) {
		theirs = theirs.Moved(own.Ended, own.Queued+theirs.Queued, perToken)
	}
	theirs = theirs.With(likewise)
	if theirs.Queued == 0 {
		own.Ended = max(own.Ended, theirs.Ended)
		return own.Left(now, perToken)
	}
	all, most := own.With(theirs), theirs.Queued
	since := all.Since()
	if all.Waiting == 0 {
		since = max(since, g.at)
	}
	if own.Waiting > 0 {
		most += own.First()
	}
	done := min(queue.Computed(g.at-since, perToken), all.First()) + queue.Computed(now-max(since, g.at), perToken)
	return all.Queued - min(done, most)
}

// Unseen is the prompt tokens that other gateways have probably sent since they were asked, to all endpoints.
func (p *Pool) Unseen(now int64) float64 {
	if p.gateways.at == 0 || now <= p.gateways.at {
		return 0
	}
	work := 0.0
	for i := range p.ends {
		work += p.ends[i].gateways.work
	}
	return work / recent.Span * float64(now-p.gateways.at)
}

// SetGatewayLoad sets the sum of the other gateways' requests in flight and ProxyLoad at endpoint i.
func (p *Pool) SetGatewayLoad(i int, inFlight, work float64, line queue.Line) {
	if of := (gatewayLoad{inFlight, line, work}); p.ends[i].gateways != of {
		p.ends[i].gateways = of
		p.touch(i)
	}
}

// noteSend remembers a request of this worker.
func (p *Pool) noteSend(i int, now int64, tokens float64, streams bool) {
	if p.OtherGateways() > 0 {
		n := 0
		if streams {
			n = 1
		}
		p.likely.Note(i, now, n, tokens)
	}
}

// noteWorkers remembers what other workers have sent, as far as their lines show it.
func (p *Pool) noteWorkers(i int, was, line *queue.Line) {
	if tokens := line.Queued - was.Queued; tokens > 0 && p.OtherGateways() > 0 {
		p.likely.Note(i, p.workers.at, max(line.Waiting-was.Waiting, 0), tokens)
	}
}

// LearnLikewise takes the span of time since the last one, if it is over.
func (p *Pool) LearnLikewise(now int64) {
	gateways := float64(p.OtherGateways())
	if !p.likely.Begin(now, len(p.ends), gateways > 0) {
		return
	}
	for i := range p.ends {
		_, own := p.OwnWork(i, now)
		p.likely.Take(i, own+p.ends[i].workers.work, p.ends[i].gateways.work)
	}
	if p.likely.End(gateways, p.uncounted.sent) { // else no queue has any of it
		p.touchAll()
	}
}

// likewise is what the other gateways have probably sent to endpoint i since their report and still waits there.
func (p *Pool) likewise(i int, own queue.Line) queue.Line { return p.likely.Of(i, p.gateways.at, own) }
