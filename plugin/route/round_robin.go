package route

import (
	"warmroute/plugin/config"
	"warmroute/plugin/decision"
)

// roundRobin gives endpoints their turns in proportion to their weights, spread evenly: smooth weighted round
// robin, as in nginx's upstream module. Each worker counts its own turns.
type roundRobin struct {
	view   *view
	credit []int
}

func newRoundRobin(_ *config.Config, r *Router, _ source) policy { return &roundRobin{view: &r.view} }

func (p *roundRobin) pick(_ *decision.Request, n int, d *decision.Decision) {
	d.Reason = decision.ByTurn
	p.grow()
	from := well
	for from < classes-1 && !p.any(from) {
		from++
	}
	best, total := -1, 0
	for i, c := range p.view.class {
		if c != from {
			p.credit[i] = 0 // credit saved while away would bring a burst of requests on its return
			continue
		}
		p.credit[i] += p.view.pool.Weight(i)
		total += p.view.pool.Weight(i)
		if best < 0 || p.credit[i] > p.credit[best] {
			best = i
		}
	}
	p.credit[best] -= total
	for c := from; c < classes; c++ {
		for step := range p.credit {
			if i := (best + step) % len(p.credit); p.view.class[i] == c && len(d.Order) < n {
				d.Order = append(d.Order, i)
			}
		}
	}
}

// grow makes room for all endpoints of the pool.
func (p *roundRobin) grow() {
	for len(p.credit) < len(p.view.pool.Endpoints) {
		p.credit = append(p.credit, 0)
	}
}

func (p *roundRobin) admit(i int, _ bool) {
	p.grow()
	p.credit[i] = 0
}

func (p *roundRobin) any(c class) bool {
	for _, have := range p.view.class {
		if have == c {
			return true
		}
	}
	return false
}
