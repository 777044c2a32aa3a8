package route

// roundRobin gives endpoints their turns in proportion to their weights, spread evenly: smooth weighted round
// robin, as in nginx's upstream module. Each worker counts its own turns.
type roundRobin struct {
	weights []int
	credit  []int
}

func (p *roundRobin) pick(_ *Request, n int, d *Decision) {
	d.Reason = ByTurn
	best, total := 0, 0
	for i, w := range p.weights {
		p.credit[i] += w
		total += w
		if p.credit[i] > p.credit[best] {
			best = i
		}
	}
	p.credit[best] -= total
	for i := range n {
		d.Order = append(d.Order, (best+i)%len(p.weights))
	}
}
