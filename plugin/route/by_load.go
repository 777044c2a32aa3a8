package route

import "slices"

// byLoad takes the endpoints with the fewest requests for their weight. Of equal ones the next after the last choice is
// taken, so that an idle pool is used in turn; those in the proxy's own zone first.
type byLoad struct {
	view  *view
	after int
}

func (p *byLoad) pick(req *Request, n int, d *Decision) {
	d.Reason = ByLoad
	size := len(p.view.cost)
	for i := range size {
		p.view.cost[i] = p.view.busy(i, req.Now)
	}
	for c := well; c < classes; c++ {
		for len(d.Order) < n {
			best := -1
			for step := range size {
				i := (p.after + step) % size
				if p.view.class[i] == c && !slices.Contains(d.Order, i) && (best < 0 || p.view.cost[i] < p.view.cost[best] ||
					p.view.cost[i] == p.view.cost[best] && p.view.nearer(i, best)) {
					best = i
				}
			}
			if best < 0 {
				break
			}
			d.Order = append(d.Order, best)
		}
	}
	p.after = d.Order[0] + 1
	d.term("in_flight", p.view.requests[d.Order[0]])
}

// nearer says that endpoint i is in the proxy's zone and the other one is not.
func (v *view) nearer(i, other int) bool { return v.zoned && !v.pool.Away(i) && v.pool.Away(other) }

// busy is the requests at endpoint i, divided by its weight. An endpoint that fails at once has few requests but is not
// idle: each request counts as many times as it would have to be tried, and so does the next one.
func (v *view) busy(i int, now int64) float64 {
	failing := v.pool.Failing(i, now)
	return (v.requests[i] + failing) / float64(v.pool.Weight(i)) / (1 - failing)
}
