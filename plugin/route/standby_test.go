package route

import (
	"math/rand/v2"
	"slices"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
)

// withStandbys is a router of three endpoints, and more that get nothing while those are well: of a lower priority.
func withStandbys(p config.Policy, standbys int) rig {
	r := routerOf(p, 3+standbys)
	for i := range standbys {
		r.SetState(3+i, false, true, second)
	}
	return r
}

// Endpoints that are given nothing change no decision: were they counted, a fair share would be one that all are above.
func TestStandbysChangeNothing(t *testing.T) {
	eachPolicy(t, func(t *testing.T, p config.Policy) {
		if p == config.PolicyRandom || p == config.PolicyPowerOfTwo {
			return // they draw fallbacks among the standbys, too, and so other numbers
		}
		want := run(withStandbys(p, 0), rand.New(rand.NewPCG(8, 8)), second, 2000, nil)
		for _, standbys := range []int{1, 5, 29} {
			if got := run(withStandbys(p, standbys), rand.New(rand.NewPCG(8, 8)), second, 2000, nil); !slices.Equal(got, want) {
				t.Errorf("%d standbys: other decisions than without", standbys)
			}
		}
	})
}

// The bound of a hot key holds however many stand by.
func TestStandbysDoNotLiftTheBound(t *testing.T) {
	for _, standbys := range []int{0, 5, 29} {
		r := withStandbys(config.PolicyPrefixHash, standbys)
		for range 90 {
			d := new(decision.Decision)
			r.Pick(&decision.Request{Prompt: chat(1, 2), Now: second}, d)
			r.add(d.Order[0], 1)
		}
		for i := range 3 {
			if got := r.InFlight(i); got > 40 { // 1.25 × 90 ÷ 3, and the margin of 2
				t.Errorf("%d standbys: %d of 90 requests at one of three endpoints", standbys, got)
			}
		}
	}
}
