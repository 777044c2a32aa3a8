package trace

import "time"

// CutPauses shortens each time in which no request comes to longest. A log of weeks has nights and weekends, in which a replay
// would do nothing but the gateways' ticks; caches do not age by them. It returns how many were cut, and by how much together.
func (t *Trace) CutPauses(longest time.Duration) (n int, by time.Duration) {
	cut := make([]int64, len(t.Requests)) // ns that each request comes earlier
	for i := 1; i < len(t.Requests); i++ {
		if more := t.Requests[i].At - t.Requests[i-1].At - longest.Nanoseconds(); more > 0 {
			n++
			by += time.Duration(more)
		}
		cut[i] = by.Nanoseconds()
	}
	for i := range t.Requests {
		r := &t.Requests[i]
		r.At -= cut[i]
		if r.After >= 0 {
			r.Think = max(0, r.Think-cut[i]+cut[r.After])
		}
	}
	return n, by
}
