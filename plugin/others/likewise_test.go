package others

import (
	"math/rand/v2"
	"testing"

	"warmroute/plugin/recent"
)

// Others count as sending likewise as far as they did: where they burst when this proxy does, and not where bursts are its own, or
// nothing is sent in bursts.
func TestLearnLikewise(t *testing.T) {
	const each = 200 // tokens of a prompt
	random := rand.New(rand.NewPCG(1, 2))
	for name, c := range map[string]struct {
		own, others func(burst bool) float64
		least, most float64
	}{
		"together":  {func(b bool) float64 { return when(b, 5*each) }, func(b bool) float64 { return when(b, 10*each) }, 1.9, 2.1},
		"apart":     {func(b bool) float64 { return when(b, 5*each) }, func(bool) float64 { return float64(random.IntN(9)) * each }, 0, 0.4},
		"no bursts": {func(bool) float64 { return when(random.IntN(4) == 0, each) }, func(bool) float64 { return when(random.IntN(2) == 0, each) }, 0, 0.4},
		"nothing":   {func(bool) float64 { return 0 }, func(b bool) float64 { return when(b, 10*each) }, 3, 3},
	} {
		var l Likewise
		now, own, others := int64(100e9), make([]float64, 4), make([]float64, 4)
		learn := func(at int64) {
			if l.Begin(at, 4, true) {
				for i := range own {
					l.Take(i, own[i], others[i])
				}
				l.End(3, each)
			}
		}
		learn(now)
		for range 300 {
			now += spanLeast
			for i := range own {
				burst := random.IntN(6) == 0
				own[i] = own[i]*recent.Weight(spanLeast/recent.Span) + c.own(burst)
				others[i] = others[i]*recent.Weight(spanLeast/recent.Span) + c.others(burst)
			}
			learn(now - spanLeast/2) // too soon
			learn(now)
		}
		if got := l.times; got < c.least || got > c.most {
			t.Errorf("%s: %.2f times as much is sent likewise, want %v to %v", name, got, c.least, c.most)
		}
	}
}

func when(so bool, tokens float64) float64 {
	if so {
		return tokens
	}
	return 0
}
