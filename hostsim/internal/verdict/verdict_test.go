package verdict

import (
	"strings"
	"testing"

	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/sweep/sweeptest"
)

// compared replays policies on a trace of 1,000 requests, with sharing or without.
func compared(t *testing.T, sharing bool, policies ...string) ([]*replay.Result, *Bounds) {
	t.Helper()
	tr := sweeptest.Reuse(sharing)
	o := sweeptest.Options(t, tr)
	b, err := NewBounds(&o)
	if err != nil {
		t.Fatal(err)
	}
	return sweeptest.Runs(t, tr, policies...), &b
}

func TestVerdict(t *testing.T) {
	with, possible := compared(t, true, "round_robin", "cache_aware")
	without, none := compared(t, false, "round_robin", "cache_aware")
	for _, c := range []struct {
		name   string
		runs   []*replay.Result
		bounds *Bounds
		want   []string
	}{
		{"reuse", with, possible, []string{"It helps here: with cache_aware", "with round_robin"}},
		{"no reuse", without, none, []string{"Hardly anything repeats"}},
	} {
		got := Of(c.runs, c.bounds)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %s; want %q", c.name, got, want)
			}
		}
	}
	if got := Of(without, none); strings.Contains(got, "It helps here") {
		t.Errorf("without reuse: %s", got)
	}
	if got := Of(with[:1], nil); !strings.Contains(got, "it takes a policy by load and one by prefix") {
		t.Errorf("one policy: %s", got)
	}
}

// No policy finds more than a cache that never forgets, and the bounds are in order.
func TestBoundsBound(t *testing.T) {
	runs, b := compared(t, true, "cache_aware", "session_affinity")
	if !(b.Recent <= b.Pooled && b.Pooled <= b.Infinite && b.Infinite > 0.3) {
		t.Errorf("bounds %+v", b)
	}
	for _, r := range runs {
		if r.TokenHitRatio > b.Pooled {
			t.Errorf("%s hits %.3f, the bound is %.3f", r.Policy, r.TokenHitRatio, b.Pooled)
		}
	}
}
