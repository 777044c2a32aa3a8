package traffic

import (
	"math"
	"testing"
)

func TestAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		tokens []int
		times  int
		want   float64
	}{
		"none":               {nil, 0, 192},
		"one":                {[]int{1000}, 1, (1000 + 8*192) / 9.},
		"long ones":          {[]int{5000}, 40, 4064},
		"many":               {[]int{500, 1500}, 400, 930},
		"a server that lies": {[]int{math.MaxInt}, 1000, 18_533},
		"one of eight lies":  {[]int{500, 500, 500, 500, 500, 500, 500, math.MaxInt}, 200, 782},
		"below none":         {[]int{-5}, 1000, 14},
	} {
		var a Answers
		for range c.times {
			for _, tokens := range c.tokens {
				a.Add(tokens)
			}
		}
		if got := a.Mean(); math.Abs(got/c.want-1) > 0.02 {
			t.Errorf("%s: %.1f tokens, want %.1f", name, got, c.want)
		}
	}
}
