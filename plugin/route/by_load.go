package route

import "warmroute/plugin/decision"

// byLoad takes the endpoints with the fewest requests for their weight. Of equal ones the next after the last choice is
// taken, so that an idle pool is used in turn; those in the proxy's own zone first.
type byLoad struct {
	view  *view
	after int
}

func (p *byLoad) pick(req *decision.Request, n int, d *decision.Decision) {
	d.Reason = decision.ByLoad
	for i := range p.view.cost {
		p.view.cost[i] = p.view.busy(i, req.Now)
	}
	for c := well; c < classes && len(d.Order) < n; c++ {
		d.Order = append(d.Order, p.view.cheapest(c, n-len(d.Order), p.after%len(p.view.cost))...)
	}
	p.after = d.Order[0] + 1
	d.Term("in_flight", p.view.all[d.Order[0]].Requests)
}

// nearer says that endpoint i is in the proxy's zone and the other one is not.
func (v *view) nearer(i, other int) bool { return v.zoned && !v.pool.Away(i) && v.pool.Away(other) }

// busy is the requests at endpoint i, divided by its weight. An endpoint that fails at once has few requests but is not
// idle: each request counts as many times as it would have to be tried, and so does the next one.
func (v *view) busy(i int, now int64) float64 {
	if !v.all[i].Fails {
		return v.all[i].Requests / v.all[i].Weight
	}
	failing := v.pool.Health.Failing(i, now)
	return (v.all[i].Requests + failing) / v.all[i].Weight / (1 - failing)
}
