package worker

import (
	"warmroute/plugin/gossip"
	"warmroute/plugin/recent"
)

// rate is how many requests a proxy has routed each second lately.
type rate struct {
	given     float64 // requests, weighed by age (recent.Span)
	at        int64   // ns: when that was
	perSecond float64 // in the second or more before
}

// of is the rate, given the requests weighed by age: what of them was not there a second ago.
func (r *rate) of(given float64, now int64) float64 {
	if passed := float64(now-r.at) / 1e9; passed >= 1 || passed < 0 {
		faded := max(1-passed/(recent.Span/1e9), 0)
		r.perSecond = max(given-r.given*faded, 0) / max(passed, 1)
		r.given, r.at = given, now
	}
	return r.perSecond
}

// tellFirstToken tells the other workers, which take the prompt for queued until this one's next request else, and the other gateways
// as often as they can be told.
func (p *Pool) tellFirstToken(now int64) {
	if others := p.known.OtherGateways(); others > 0 && !p.firsts.take(gossip.FirstTokens(p.perSecond(now), others)) {
		p.board.Publish(now)
		return
	}
	p.board.Tell(now)
}

// tellEnd tells the other workers, and the other gateways as often as they can be told where endpoints are at their bounds of load: until
// they know, they count the request.
func (p *Pool) tellEnd(now int64) {
	if others := p.known.OtherGateways(); others > 0 && p.known.AtBound(now) && p.ends.take(gossip.Ends(p.perSecond(now), others)) {
		p.board.Tell(now)
		return
	}
	p.board.PublishKnown(now)
}

// perSecond is how many requests the proxy has routed here each second lately.
func (p *Pool) perSecond(now int64) float64 { return p.rate.of(p.known.ProxyRequests(now), now) }

// part is what is left over of a part of some events, below 1.
type part float64

// take says whether this event is one of the share, 0 to 1, that is taken.
func (p *part) take(share float64) bool {
	if *p += part(share); *p < 1 {
		return false
	}
	*p--
	return true
}
