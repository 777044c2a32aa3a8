package route

import (
	"slices"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/lrumatch"
)

// lruMatch is lrumatch.Matcher among the endpoints that are well, with the key of prefix_hash.
type lruMatch struct {
	*lrumatch.Matcher
	view  *view
	chars int
}

func newLRUMatch(cfg *config.Config, r *Router, _ source) policy {
	return &lruMatch{lrumatch.New(0, cfg.LruMatch.Capacity, lruMatchBytes(cfg), cfg.TableSecret), &r.view, cfg.PrefixHash.PrefixChars}
}

// admit sets the endpoint's load to that of the least used one: with its old load, or none, it would get all requests until
// it has caught up. A new endpoint has an empty memory.
func (p *lruMatch) admit(i int, anew bool) {
	p.Grow(len(p.view.pool.Endpoints))
	if anew {
		p.Forget(i)
	}
	first := true
	for j := range p.view.pool.Endpoints {
		if j != i && p.view.pool.Serving(j) && (first || p.Load(j) < p.Load(i)) {
			p.SetLoad(i, p.Load(j))
			first = false
		}
	}
}

func (p *lruMatch) pick(req *decision.Request, n int, d *decision.Decision) {
	d.Key, d.HasKey = beginningKey(d.Seed, req, p.chars), true
	p.Grow(len(p.view.pool.Endpoints))
	p.Look(d.Key)
	d.Reason = decision.ByLoad
	for c := well; c < classes; c++ {
		for len(d.Order) < n {
			i := p.best(c, d.Order)
			if i < 0 {
				break
			}
			if len(d.Order) == 0 && p.Hit(i) {
				d.Reason = decision.ByMatch
			}
			d.Order = append(d.Order, i)
		}
	}
	d.Term("given", float64(p.Load(d.Order[0])))
	p.Give(d.Order[0])
}

// best is the endpoint of a class to take, without those taken; −1 where there is none.
func (p *lruMatch) best(c class, taken []int) int {
	best := -1
	for i, of := range p.view.class {
		if of == c && !slices.Contains(taken, i) && (best < 0 || p.Before(i, best)) {
			best = i
		}
	}
	return best
}
