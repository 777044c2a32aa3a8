package gossip

import (
	"warmroute/plugin/queue"
	"warmroute/plugin/share"
)

// oldestReport bounds, in nanoseconds, how old the sum of the loads is said to be: what is older is taken for that of a worker
// that has ended.
const oldestReport = 2e9

// publish writes the other gateways' load, faded by their silence and as of when it was reported on average, and where the log of
// their entries ends.
func (g *Gossip) publish(now int64) {
	n := len(g.pool.Endpoints)
	if cap(g.index) < n {
		g.index, g.lines = make([]share.GatewayLoad, n), make([]queue.Line, n)
	}
	g.index, g.lines = g.index[:n], g.lines[:n]
	clear(g.index)
	alike := g.gather(now)
	g.held = g.held[:0]
	requests, age := 0.0, 0.0 // age: of each request's report, summed up
	for i := range g.origins {
		o := &g.origins[i]
		weight := g.weight(now - o.at)
		if weight == 0 {
			continue
		}
		if weight == 1 { // nobody waits for the turn of one that is silent
			for _, h := range o.holds {
				g.held = append(g.held, queue.Hold{Group: h.Group, Requests: h.Requests, First: queue.Turn{Size: h.Size, Since: o.at - h.Waited*1e6}})
			}
		}
		requests += weight * o.given
		age += weight * o.given * float64(max(now-o.at, 0))
		for k := range o.loads {
			l := &o.loads[k]
			if e := g.endpoint(l); e >= 0 {
				sum := &g.index[e]
				sum.InFlight += weight * float64(l.InFlight)
				sum.Work += weight * l.Work
				line := o.line(l, weight)
				all := &g.lines[e]
				if all.Ended > o.at {
					line = line.Moved(all.Ended, all.Queued*alike, g.pool.PerToken(e))
				}
				sum.Line = sum.Line.With(line)
				sum.Line.Ended = all.Ended
			}
		}
	}
	place, count := max(g.self, 0), len(g.peers)
	if g.self < 0 {
		count = 0
	}
	at := now
	if requests > 0 {
		at -= min(int64(age/requests), oldestReport)
	}
	g.board.PublishGateways(g.next, g.whole, requests, place, count, func(i int) share.GatewayLoad { return g.index[i] }, g.held, at, g.lag())
	if len(g.peers) > direct+1 {
		g.publishLoads(now)
	}
}

// weight is how much a load counts at an age in ns, 1 to 0.
func (g *Gossip) weight(age int64) float64 {
	full := max(int64(fullFor), 3*g.interval, 2*g.hold)
	return min(max(1-float64(age-full)/fadeFor, 0), 1)
}

// Stats is what has happened since the last call.
func (g *Gossip) Stats(now int64) Stats {
	s := g.stats
	g.stats = Stats{}
	for i := range g.peers {
		if p := &g.peers[i]; p.heard > 0 && !g.isSelf(i) && g.weight(now-p.heard) > 0 {
			s.Peers++
			if p.secret > 0 {
				s.Former++
			}
			s.Age = max(s.Age, now-p.heard)
		}
	}
	return s
}
