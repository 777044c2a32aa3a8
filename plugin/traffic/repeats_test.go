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
			r.Add(c.share*added+c.off*(2*rng.Float64()-1), added)
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
		r.Add(0, 1000)
	}
	for range 1000 {
		r.Add(900, 1000)
		r.Add(0, 10)
	}
	if got := r.Share(); math.Abs(got-0.89) > 0.015 {
		t.Errorf("a share of %.3f, want .89 less its error", got)
	}
}
