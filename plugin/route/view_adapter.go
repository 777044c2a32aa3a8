package route

import (
	"warmroute/plugin/decision"
	"warmroute/plugin/prefix"
)

// spread makes the ring place an adapter that no endpoint holds: the decision's key is the adapter's, and costs count as equal
// that differ by less than it takes to load it, in prompt tokens. Other workers and gateways, which do not know yet where it was
// put, put it there as well; otherwise each would load it somewhere else. For all other requests it changes nothing, and is 0.
func (v *view) spread(d *decision.Decision, now int64) (margin float64) {
	key, is := v.pool.NewAdapter(&d.Flight)
	if !is {
		return 0
	}
	d.Key = prefix.Key(uint64(key), nil)
	for i, c := range v.class {
		if load := v.pool.LoadTokens(&d.Flight, i, now); c == v.best && (margin == 0 || load < margin) {
			margin = load
		}
	}
	return margin
}

// loadTerm says what loading the adapter at the first endpoint takes.
func (v *view) loadTerm(first int, now int64, d *decision.Decision) {
	if load := v.pool.LoadTokens(&d.Flight, first, now); load > 0 {
		d.Term("load_tokens", load)
	}
}
