package worker

import (
	"slices"

	"warmroute/plugin/queue"
)

// mostNames bounds the groups whose names are kept.
const mostNames = 64

// How long, in ns, requests that could go let others go first that wait at other workers and gateways.
const (
	// courtesy is how long if the same one is first there.
	courtesy = 2e9

	// patience is how long if some go.
	patience = 10e9

	// longestTick is as how long the time since the last tick counts at most.
	longestTick = 1e9
)

// turn is when it goes.
func (h *hold) turn() queue.Turn { return queue.Turn{Size: queue.SizeOf(h.needs), Since: h.since} }

// first is the request that goes first, of those that do not wait for endpoints known to be full; nil: there is none.
func (p *Pool) first() (first *Exchange) {
	for _, x := range p.waiting {
		if (first == nil || x.turn().Before(first.turn())) && !slices.Contains(p.full, x.among) {
			first = x
		}
	}
	return first
}

// mayGo says whether a request goes that endpoints have room for, while so many others are first elsewhere and go before it. Those may
// never go: a gateway may hang, or see less room.
func (p *Pool) mayGo(x *Exchange, rooms, ahead int, elsewhere *queue.Hold, now int64) bool {
	if rooms > ahead {
		delete(p.yield, x.name)
		return true
	}
	if p.yield == nil || len(p.yield) > mostNames {
		p.yield = map[uint32]yield{}
	}
	y, going := p.yield[x.name], false
	if rooms > 0 {
		passed := int64(0)
		if y.at != 0 {
			passed = min(max(now-y.at, 0), longestTick) // nothing may have waited here since
		}
		if y.given, y.stalled = y.given+passed, y.stalled+passed; !y.to.Same(elsewhere.First) {
			y.to, y.stalled = elsewhere.First, 0
		}
		if going = y.stalled >= courtesy || y.given >= patience; y.given >= patience {
			y.given = 0
		}
	}
	y.at = now
	p.yield[x.name] = y
	return going
}

// yield is that requests here let others go first.
type yield struct {
	to             queue.Turn // the first elsewhere
	at             int64      // ns: when that was last looked at; 0: never
	stalled, given int64      // ns with room: since another was first elsewhere, and since one has gone here
}
