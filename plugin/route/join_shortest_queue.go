package route

import "warmroute/plugin/config"

// joinShortestQueue takes the endpoint where the fewest requests wait for their prefill, for its weight; among those,
// the one with the fewest requests at all (Winston, "Optimality of the Shortest Line Discipline", 1977).
type joinShortestQueue struct{ view *view }

func newJoinShortestQueue(_ *config.Config, r *Router, _ source) policy {
	return &joinShortestQueue{view: &r.view}
}

func (p *joinShortestQueue) pick(req *Request, n int, d *Decision) {
	d.Reason = ByLoad
	p.view.affinity(req, d)
	for i := range p.view.cost {
		// Running requests count for a millionth: they decide among equal queues, and there are fewer than a million.
		waiting := p.view.pool.Waiting(i, req.Now) / float64(p.view.pool.Weight(i)) / (1 - p.view.pool.Failing(i, req.Now))
		p.view.cost[i] = waiting + p.view.busy(i, req.Now)/1e6
	}
	p.view.leastFirst(0, n, d)
	d.term("waiting", p.view.pool.Waiting(d.Order[0], req.Now))
	d.term("in_flight", p.view.all[d.Order[0]].Requests)
}
