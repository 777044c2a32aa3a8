package replay

import (
	"slices"
	"testing"

	"warmroute/hostsim/internal/trace"
)

func TestLive(t *testing.T) {
	// Sessions 0 → 2 → 5, 1, 3 → 4, 6.
	var requests []trace.Request
	for _, after := range []int{-1, -1, 0, -1, 3, 2, -1} {
		requests = append(requests, trace.Request{After: after})
	}
	l := newLive(requests, 2)
	var held []int
	for i := range requests {
		if requests[i].After < 0 && l.holds(i) {
			held = append(held, i)
		}
	}
	if !slices.Equal(held, []int{3, 6}) {
		t.Errorf("held back: %v, want sessions 3 and 6", held)
	}
	for _, step := range []struct{ ends, begins int }{{0, -1}, {1, 3}, {2, -1}, {5, 6}, {3, -1}, {4, -1}, {6, -1}} {
		next, ok := l.ended(step.ends)
		if !ok {
			next = -1
		}
		if next != step.begins {
			t.Errorf("at the end of %d: %d begins, want %d", step.ends, next, step.begins)
		}
	}
	l = newLive(requests, 0)
	if _, ok := l.ended(1); ok || l.holds(3) {
		t.Error("without a number, nothing is held")
	}
}

// With one session under way there is never a queue; with all at once there is.
func TestLiveBoundsTheQueue(t *testing.T) {
	mean := map[int]float64{}
	for _, n := range []int{1, 100} {
		o := replayOptions(t, "round_robin")
		for i := range o.Trace.Requests {
			o.Trace.Requests[i].Think = 0
		}
		o.Closed, o.Live = true, n
		r := result(t, o)
		if r.Requests != 300 || r.Rejected != 0 {
			t.Errorf("%d live: %d requests, %d rejected", n, r.Requests, r.Rejected)
		}
		mean[n] = r.TTFT.Mean
	}
	if mean[1]*3 > mean[100] {
		t.Errorf("mean TTFT %v by sessions under way; want far more with 100", mean)
	}
	o := replayOptions(t, "round_robin")
	o.Live = 4
	if _, err := Run(t.Context(), o); err == nil {
		t.Error("live sessions in an open loop are no error")
	}
}
