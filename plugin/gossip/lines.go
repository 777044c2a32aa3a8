package gossip

import "warmroute/plugin/queue"

// Gateways report their lines at different moments, and a first token that one of them has seen shows of the others' prompts, too, that
// they are computed, before they say so: publish takes off (queue.Line.Moved).

// line is what a load says of the prompts that wait, at a weight.
func (o *origin) line(l *load, weight float64) queue.Line {
	return queue.Line{
		Waiting: int(weight*float64(l.Waiting) + 0.5), Queued: weight * l.Queued, Begun: o.at - l.Begun*1e6, Ended: o.at - l.Ended*1e6,
	}
}

// gather sets lines to what all that have reported have at each endpoint together. With this gateway's own, if it is like the others,
// that is so many times as much.
func (g *Gossip) gather(now int64) (alike float64) {
	clear(g.lines)
	gateways := 0.0
	for i := range g.origins {
		o := &g.origins[i]
		weight := g.weight(now - o.at)
		if weight == 0 {
			continue
		}
		gateways++
		for k := range o.loads {
			l := &o.loads[k]
			if e := g.endpoint(l); e >= 0 {
				g.lines[e] = g.lines[e].With(o.line(l, weight))
			}
		}
	}
	return (gateways + 1) / max(gateways, 1)
}
