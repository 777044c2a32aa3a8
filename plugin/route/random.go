package route

import (
	"slices"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
)

// random draws endpoints in proportion to their weights, without replacement.
type random struct {
	view   *view
	source source
}

func newRandom(_ *config.Config, r *Router, seed source) policy {
	return &random{view: &r.view, source: seed}
}

func (p *random) pick(_ *decision.Request, n int, d *decision.Decision) {
	d.Reason = decision.ByChance
	for c := well; c < classes; c++ {
		p.draw(c, n, d)
	}
}

// draw adds endpoints of a class until the order has n or the class is used up.
func (p *random) draw(c class, n int, d *decision.Decision) {
	left := 0
	for i, of := range p.view.class {
		if of == c && !slices.Contains(d.Order, i) {
			left += p.view.pool.Weight(i)
		}
	}
	for len(d.Order) < n && left > 0 {
		ticket := p.source.below(left)
		for i, of := range p.view.class {
			if of != c || slices.Contains(d.Order, i) {
				continue
			}
			if ticket -= p.view.pool.Weight(i); ticket < 0 {
				d.Order = append(d.Order, i)
				left -= p.view.pool.Weight(i)
				break
			}
		}
	}
}

// source is SplitMix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014):
// one word of state, so that a seed is a whole history.
type source uint64

func (s *source) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number in [0, n), n ≥ 1. The bias of the modulus is below n ÷ 2^64.
func (s *source) below(n int) int { return int(s.next() % uint64(n)) }
