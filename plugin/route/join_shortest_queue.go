package route

// joinShortestQueue takes the endpoint where the fewest requests wait for their prefill, for its weight; among those,
// the one with the fewest requests at all (Winston, "Optimality of the Shortest Line Discipline", 1977).
type joinShortestQueue struct{ pool *pool }

func (p *joinShortestQueue) pick(req *Request, n int, d *Decision) {
	d.Reason = ByLoad
	p.pool.affinity(req, d)
	for i := range p.pool.cost {
		// Running requests count for a millionth: they decide among equal queues, and there are fewer than a million.
		waiting := p.pool.load.Waiting(i, req.Now) / float64(p.pool.load.Weight(i)) / (1 - p.pool.load.Failing(i, req.Now))
		p.pool.cost[i] = waiting + p.pool.busy(i, req.Now)/1e6
	}
	p.pool.leastFirst(0, n, d)
	d.term("waiting", p.pool.load.Waiting(d.Order[0], req.Now))
	d.term("in_flight", p.pool.requests[d.Order[0]])
}
