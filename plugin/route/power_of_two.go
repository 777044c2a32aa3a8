package route

// powerOfTwo draws two endpoints and takes the less busy (Mitzenmacher, "The Power of Two Choices in Randomized Load
// Balancing", 2001): nearly as even as looking at all, and many workers with old counts do not all choose the same.
type powerOfTwo struct{ random }

func (p *powerOfTwo) pick(req *Request, n int, d *Decision) {
	p.random.pick(req, n, d)
	d.Reason = ByLoad
	if len(d.Order) < 2 {
		return
	}
	first, second := d.Order[0], d.Order[1]
	a, b := p.pool.busy(first, req.Now), p.pool.busy(second, req.Now)
	if p.pool.class[first] != p.pool.class[second] {
		return
	}
	if a == b {
		p.pool.affinity(req, d)
		walk := p.pool.ring.From(d.Key)
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
	d.term("in_flight", p.pool.requests[d.Order[0]])
	d.term("other_in_flight", p.pool.requests[d.Order[1]])
}
