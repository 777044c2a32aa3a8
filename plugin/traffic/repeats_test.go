package traffic

import (
	"math"
	"math/rand/v2"
	"testing"
)

// What a turn adds is found as far as prompts repeat answers; what is uncertain of single responses is not taken for a repeat.
func TestRepeats(t *testing.T) {
	for name, c := range map[string]struct {
		responses   int
		share       float64 // of what is added, found
		off         float64 // tokens that what is found seems more or less, by chance
		least, most float64
	}{
		"none":                         {0, 0.9, 0, 0, 0},
		"one":                          {1, 0.9, 0, 0, 0},
		"two":                          {2, 0.9, 0, 0.85, 0.9},
		"answers are repeated":         {100, 0.9, 0, 0.89, 0.9},
		"coarsely known":               {100, 0.9, 500, 0.75, 0.95},
		"what was reasoned is dropped": {100, 0, 0, 0, 0},
		"dropped, and coarsely known":  {100, 0, 500, 0, 0.1},
		"a server that lies":           {100, 1e9, 0, 0.999, 1},
		"one that finds nothing":       {100, -5, 0, 0, 0},
	} {
		var r Repeats
		rng := rand.New(rand.NewPCG(1, 2))
		for range c.responses {
			added := 200 + 2000*rng.Float64()
			r.Add(c.share*added+c.off*(2*rng.Float64()-1), added, 1e9)
		}
		if got := r.Share(); !(got >= c.least-1e-9 && got <= c.most+1e-9) {
			t.Errorf("%s: a share of %.3f, want %.2f to %.2f", name, got, c.least, c.most)
		}
	}
}

// Long turns count by their tokens, and old responses fade.
func TestRepeatsAreOfLate(t *testing.T) {
	var r Repeats
	for range 1000 {
		r.Add(0, 1000, 4000)
	}
	for range 1000 {
		r.Add(900, 1000, 4000)
		r.Add(0, 10, 4000)
	}
	if got := r.Share(); math.Abs(got-0.89) > 0.015 {
		t.Errorf("a share of %.3f, want .89 less its error", got)
	}
}

// One long turn does not outweigh all others, and one server of eight that lies does not decide.
func TestRepeatsAreBounded(t *testing.T) {
	for name, c := range map[string]struct {
		add         func(r *Repeats, i int)
		least, most float64
	}{
		"a document is pasted": {func(r *Repeats, i int) {
			if r.Add(800, 1000, 4000); i == 999 {
				r.Add(0, 200_000, 4000)
			}
		}, 0.7, 0.8},
		"found whole, and long, where nothing repeats": {func(r *Repeats, i int) {
			if r.Add(0, 1000, 4000); i >= 998 {
				r.Add(200_000, 200_000, 4000)
			}
		}, 0, 0.1},
		"one of eight finds all": {func(r *Repeats, i int) {
			found := 0.
			if i%8 == 0 {
				found = 1000
			}
			r.Add(found, 1000, 4000)
		}, 0, 0.125},
	} {
		var r Repeats
		for i := range 1000 {
			c.add(&r, i)
		}
		if got := r.Share(); got < c.least || got > c.most {
			t.Errorf("%s: a share of %.3f, want %.2f to %.2f", name, got, c.least, c.most)
		}
	}
}
