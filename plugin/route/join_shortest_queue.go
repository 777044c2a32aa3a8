package route

import (
	"warmroute/plugin/config"
	"warmroute/plugin/decision"
)

// joinShortestQueue takes the endpoint where the fewest requests wait for their first token, for its weight; among those,
// the one with the fewest requests at all (Winston, "Optimality of the Shortest Line Discipline", 1977).
type joinShortestQueue struct{ view *view }

func newJoinShortestQueue(_ *config.Config, r *Router, _ source) policy {
	return &joinShortestQueue{view: &r.view}
}

func (p *joinShortestQueue) pick(req *decision.Request, n int, d *decision.Decision) {
	d.Reason = decision.ByLoad
	p.view.affinity(req, d)
	for i := range p.view.cost {
		// Running requests count for a millionth: they decide among equal queues, and there are fewer than a million.
		waiting := p.view.all[i].Waiting / p.view.all[i].Weight / (1 - p.view.pool.Health.Failing(i, req.Now))
		p.view.cost[i] = waiting + p.view.busy(i, req.Now)/1e6
	}
	p.view.leastFirst(0, n, d)
	d.Term("waiting", p.view.all[d.Order[0]].Waiting)
	d.Term("in_flight", p.view.all[d.Order[0]].Requests)
}
