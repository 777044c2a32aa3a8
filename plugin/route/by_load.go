package route

import "warmroute/plugin/load"

// byLoad takes the endpoints with the fewest requests in flight for their weight. Ties go to the one after the
// last that was chosen, so that an idle pool is used in turn rather than from its first endpoint.
type byLoad struct {
	load    *load.Table
	weights []int
	after   int
}

func (p *byLoad) pick(_ *Request, n int, d *Decision) {
	d.Reason = ByLoad
	size := len(p.weights)
	for len(d.Order) < n {
		best := -1
		for step := range size {
			i := (p.after + step) % size
			if !contains(d.Order, i) && (best < 0 || p.less(i, best)) {
				best = i
			}
		}
		d.Order = append(d.Order, best)
	}
	p.after = d.Order[0] + 1
	d.term("in_flight", float64(p.load.InFlight(d.Order[0])))
}

// less compares in flight ÷ weight without dividing.
func (p *byLoad) less(i, j int) bool {
	return p.load.InFlight(i)*p.weights[j] < p.load.InFlight(j)*p.weights[i]
}
