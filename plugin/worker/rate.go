package worker

import (
	"warmroute/plugin/gossip"
	"warmroute/plugin/pool"
)

// rate is how many requests a proxy has routed each second lately.
type rate struct {
	given     float64 // requests, weighed by age (pool.WorkSpan)
	at        int64   // ns: when that was
	perSecond float64 // in the second or more before
}

// of is the rate, given the requests weighed by age: what of them was not there a second ago.
func (r *rate) of(given float64, now int64) float64 {
	if passed := float64(now-r.at) / 1e9; passed >= 1 || passed < 0 {
		faded := max(1-passed/(pool.WorkSpan/1e9), 0)
		r.perSecond = max(given-r.given*faded, 0) / max(passed, 1)
		r.given, r.at = given, now
	}
	return r.perSecond
}

// tellFirstToken tells the other workers, which take the prompt for queued until this one's next request else, and the other gateways
// as often as they can be told.
func (p *Pool) tellFirstToken(now int64) {
	if others := p.known.OtherGateways(); others > 0 {
		p.firsts += gossip.FirstTokens(p.rate.of(p.known.ProxyRequests(now), now), others)
		if p.firsts < 1 {
			p.board.Publish(now)
			return
		}
		p.firsts--
	}
	p.board.Tell(now)
}
