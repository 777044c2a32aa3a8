package study

import (
	"strings"
	"testing"
)

func TestVerdict(t *testing.T) {
	with, without := comparison(t, "round_robin", "cache_aware"), compared(t, reuse(t, false), "round_robin", "cache_aware")
	for _, c := range []struct {
		name string
		of   *Replay
		want []string
	}{
		{"reuse", with, []string{"It helps here: with cache_aware", "with round_robin"}},
		{"no reuse", without, []string{"Hardly anything repeats"}},
	} {
		got := Verdict(c.of.Runs, c.of.Bounds)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %s; want %q", c.name, got, want)
			}
		}
	}
	if got := Verdict(without.Runs, without.Bounds); strings.Contains(got, "It helps here") {
		t.Errorf("without reuse: %s", got)
	}
	if got := Verdict(with.Runs[:1], nil); !strings.Contains(got, "it takes a policy by load and one by prefix") {
		t.Errorf("one policy: %s", got)
	}
}

// No policy finds more than a cache that never forgets, and the bounds are in order.
func TestBoundsBound(t *testing.T) {
	c := comparison(t, "cache_aware", "session_affinity")
	if b := c.Bounds; !(b.Recent <= b.Pooled && b.Pooled <= b.Infinite && b.Infinite > 0.3) {
		t.Errorf("bounds %+v", b)
	}
	for _, r := range c.Runs {
		if r.TokenHitRatio > c.Bounds.Pooled {
			t.Errorf("%s hits %.3f, the bound is %.3f", r.Policy, r.TokenHitRatio, c.Bounds.Pooled)
		}
	}
}
