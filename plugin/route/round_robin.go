package route

// roundRobin gives endpoints their turns in proportion to their weights, spread evenly: smooth weighted round
// robin, as in nginx's upstream module. Each worker counts its own turns; who is not well has none.
type roundRobin struct {
	pool   *pool
	credit []int
}

func (p *roundRobin) pick(_ *Request, n int, d *Decision) {
	d.Reason = ByTurn
	from := well
	for from < classes-1 && !p.any(from) {
		from++
	}
	best, total := -1, 0
	for i, c := range p.pool.class {
		if c != from {
			p.credit[i] = 0 // what was saved up would come as a flood on its return
			continue
		}
		p.credit[i] += p.pool.load.Weight(i)
		total += p.pool.load.Weight(i)
		if best < 0 || p.credit[i] > p.credit[best] {
			best = i
		}
	}
	p.credit[best] -= total
	for c := from; c < classes; c++ {
		for step := range p.credit {
			if i := (best + step) % len(p.credit); p.pool.class[i] == c && len(d.Order) < n {
				d.Order = append(d.Order, i)
			}
		}
	}
}

func (p *roundRobin) grow(n int) {
	for len(p.credit) < n {
		p.credit = append(p.credit, 0)
	}
}

func (p *roundRobin) enter(i int, _ bool) { p.credit[i] = 0 }

func (p *roundRobin) any(c class) bool {
	for _, have := range p.pool.class {
		if have == c {
			return true
		}
	}
	return false
}
