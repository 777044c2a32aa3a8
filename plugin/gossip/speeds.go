package gossip

import (
	"warmroute/plugin/news"
	"warmroute/plugin/pool"
	"warmroute/plugin/share"
	"warmroute/plugin/speed"
	"warmroute/plugin/traffic"
)

// How fast endpoints are, each worker learns from the responses that it sees. Where gateways share news, all know what all have seen:
// once in a while each asks for it with its next ask. Each gateway tells its own alone, and nobody passes it on, so that none counts
// twice: where news are relayed, a gateway knows those of the some 2·√n that it asks, which are more than one fit needs.
//
// With the speed of an endpoint each tells how much of its time is lost by computing again (traffic.Lost), and what conversations
// lose there for want of memory (traffic.Thrash).

// speedsEvery is the time between two asks of a gateway for its speeds, in nanoseconds.
const speedsEvery = pool.SpeedsEvery

// lostFor is how long a gateway counts as losing what it told last, in ns: when it has ended, others get its requests.
const lostFor = 5e9

// ownSpeeds writes what this proxy's workers have learned, if there is room.
func (g *Gossip) ownSpeeds(now int64) bool {
	habits, all := g.board.ProxySpeeds(now)
	g.busy = g.busy[:0]
	for i := range g.pool.Endpoints {
		if g.pool.Present(i) && (all[i+1].Sums[0] > 0 || all[i+1].Lost > 0 || all[i+1].Thrash != traffic.Thrash{}) {
			g.busy = append(g.busy, i)
		}
	}
	return g.writer.Speeds((*[5]float64)(&habits), share.Told(all[0], ""), len(g.busy), func(n int) news.Speed {
		i := g.busy[n]
		return share.Told(all[i+1], g.pool.Endpoints[i].Address)
	})
}

// takeSpeeds takes over a gateway's. It has few workers: what claims to have more samples than they can is left out.
func (g *Gossip) takeSpeeds(p *peer, now int64) {
	o := g.origin(g.reader.From)
	if o == nil {
		return
	}
	p.sped, o.spedAt, o.habits = now, now, traffic.Habits{}
	if h := traffic.Habits(g.reader.Habits); h.Plausible(mostWorkers) {
		o.habits = h
	}
	o.speeds = o.speeds[:0]
	for i := range g.reader.Speeds {
		s := &g.reader.Speeds[i]
		if s.Sums[0] <= mostWorkers*speed.MostSums && (i == 0 || g.board.Endpoint(s.Address) >= 0) {
			o.speeds = append(o.speeds, *s)
		}
	}
}

const mostWorkers = 64

// shareSpeeds writes what this worker has learned and, if it leads, what it has been told, and reads what the others know.
func (g *Gossip) shareSpeeds(now int64) {
	g.board.TellSpeeds(now)
	if g.leads {
		g.speeds = g.board.Grown(g.speeds[:0])
		habits, told, tell := traffic.Habits{}, 0.0, 0.0 // tell: lately
		for i := range g.origins {
			o := &g.origins[i]
			if now-o.spedAt > forgetAfter {
				continue // it is asked no more
			}
			habits = habits.Plus(&o.habits)
			loses := 0.0
			if now-o.spedAt < lostFor {
				loses = 1
			}
			told, tell = told+1, tell+loses
			for k := range o.speeds {
				s := &o.speeds[k]
				if at := g.board.Endpoint(s.Address); at >= 0 || s.Address == "" {
					heard := share.Heard(s)
					heard.Lost *= loses
					g.speeds[at+1] = g.speeds[at+1].Plus(&heard)
				}
			}
		}
		if others := float64(len(g.peers) - 1); told > 0 && others > direct { // the rest of them lose as much
			lost, thrash := max(others/max(tell, 1), 1), max(others/told, 1)
			for i := range g.speeds {
				s := &g.speeds[i]
				s.Lost, s.Thrash.Times, s.Thrash.Tokens = s.Lost*lost, s.Thrash.Times*thrash, s.Thrash.Tokens*thrash
			}
		}
		g.board.TellGatewaysSpeeds(habits, func(i int) pool.Speed { return g.speeds[i+1] })
	}
	g.board.ReadSpeeds()
}
