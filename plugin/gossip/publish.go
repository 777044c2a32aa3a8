package gossip

import (
	"warmroute/plugin/share"
)

// publish writes the other gateways' load, faded by their silence, and where the log of their entries ends.
func (g *Gossip) publish(now int64) {
	n := len(g.pool.Endpoints)
	if cap(g.index) < n {
		g.index = make([]share.GatewayLoad, n)
	}
	g.index = g.index[:n]
	clear(g.index)
	requests := 0.0
	for i := range g.origins {
		o := &g.origins[i]
		weight := g.weight(now - o.at)
		if weight == 0 {
			continue
		}
		requests += weight * o.given
		for k := range o.loads {
			l := &o.loads[k]
			if e := g.board.Endpoint(l.Address); e >= 0 {
				sum := &g.index[e]
				sum.InFlight += weight * float64(l.InFlight)
				sum.Queued += weight * l.Queued
				sum.Work += weight * l.Work
			}
		}
	}
	place, count := max(g.self, 0), len(g.peers)
	if g.self < 0 {
		count = 0
	}
	g.board.PublishGateways(g.next, g.whole, requests, place, count, func(i int) share.GatewayLoad { return g.index[i] }, now)
	if len(g.peers) > direct+1 {
		g.publishLoads(now)
	}
}

// weight is how much a load counts at an age in ns, 1 to 0.
func (g *Gossip) weight(age int64) float64 {
	full := max(int64(fullFor), 3*g.interval)
	return min(max(1-float64(age-full)/fadeFor, 0), 1)
}

// Stats is what has happened since the last call.
func (g *Gossip) Stats(now int64) Stats {
	s := g.stats
	g.stats = Stats{}
	for i := range g.peers {
		if p := &g.peers[i]; p.heard > 0 && !g.isSelf(i) && g.weight(now-p.heard) > 0 {
			s.Peers++
			s.Age = max(s.Age, now-p.heard)
		}
	}
	return s
}
