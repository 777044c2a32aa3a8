package route

import (
	"warmroute/plugin/config"
	"warmroute/plugin/decision"
)

// powerOfTwo draws two endpoints and takes the less busy (Mitzenmacher, "The Power of Two Choices in Randomized Load
// Balancing", 2001): nearly as even as comparing all, and workers with old counts do not all choose the same endpoint.
type powerOfTwo struct{ random }

func newPowerOfTwo(_ *config.Config, r *Router, seed source) policy {
	return &powerOfTwo{random{view: &r.view, source: seed}}
}

func (p *powerOfTwo) pick(req *decision.Request, n int, d *decision.Decision) {
	p.random.pick(req, n, d)
	d.Reason = decision.ByLoad
	if len(d.Order) < 2 {
		return
	}
	first, second := d.Order[0], d.Order[1]
	a, b := p.view.busy(first, req.Now), p.view.busy(second, req.Now)
	if p.view.class[first] != p.view.class[second] {
		return
	}
	switch {
	case a != b:
	case p.view.nearer(second, first):
		a = b + 1
	case p.view.nearer(first, second):
	default:
		p.view.affinity(req, d)
		walk := p.view.pool.Ring.From(d.Key)
		for i, ok := walk.Next(); ok && i != first; i, ok = walk.Next() {
			if i == second {
				a = b + 1
				break
			}
		}
	}
	if b < a {
		d.Order[0], d.Order[1] = second, first
	}
	d.Term("in_flight", p.view.all[d.Order[0]].Requests)
	d.Term("other_in_flight", p.view.all[d.Order[1]].Requests)
}
