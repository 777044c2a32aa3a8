package cases

import (
	"math"
	"strings"
	"testing"
)

// Each pool has two kinds of cards that serve one model, the halves in either order, each with the same part of its own memory, and can be played.
func TestUnlikeCards(t *testing.T) {
	for _, odd := range []bool{false, true} {
		firstLarger, all := 0, DrawnUnlike(40, 3, odd)
		alike(t, all, DrawnUnlike(5, 3, odd))
		for _, c := range all {
			first, err := c.Profile()
			second, err2 := c.Second()
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			if first.Name == second.Name || model(first.Name) != model(second.Name) || c.Replicas < 2 || len(c.Slower) > 0 || strings.HasPrefix(c.ID, "unlike-odd-") != odd {
				t.Errorf("%s: %s: %s and %s", c.ID, c.What, first.Name, second.Name)
			}
			a, b := float64(c.KVTokens)/float64(first.KVTokens()), float64(c.SecondKV)/float64(second.KVTokens())
			if math.Abs(a/b-1) > 0.01 || !c.Published && (a < 0.19 || a > 1) || c.Published && min(c.KVTokens, c.SecondKV) < 199_000 {
				t.Errorf("%s: %s: %.3f and %.3f of their memories", c.ID, c.What, a, b)
			}
			if c.KVTokens > c.SecondKV {
				firstLarger++
			}
			if c.Published {
				continue
			}
			o, err := c.Options("", 1)
			if err != nil {
				t.Fatalf("%s, %s: %v", c.ID, c.What, err)
			}
			for k, p := range []int{o.Profile.KVTokens(), o.Second.KVTokens()} {
				if want := []int{c.KVTokens, c.SecondKV}[k]; p > want || p < want-o.Profile.BlockSize {
					t.Errorf("%s, %s: replicas have %d tokens, want %d", c.ID, c.What, p, want)
				}
			}
			for i := range o.Trace.Requests {
				if r := &o.Trace.Requests[i]; r.InputTokens+r.OutputTokens > min(c.KVTokens, c.SecondKV) {
					t.Fatalf("%s, %s: a request of %d tokens", c.ID, c.What, r.InputTokens+r.OutputTokens)
				}
			}
		}
		if firstLarger < 10 || firstLarger > 30 {
			t.Errorf("odd %v: in %d of 40 the first half has more memory", odd, firstLarger)
		}
	}
}
