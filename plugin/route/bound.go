package route

import (
	"math"

	"warmroute/plugin/config"
)

// most is the number of requests that endpoint i may have, the one at hand included: factor × its fair share
// of all, rounded up (Mirrokni, Thorup, Zadimoghaddam, "Consistent Hashing with Bounded Loads", SODA 2018), plus margin.
// The paper's bound alone would refuse the home of a prompt whenever a nearly idle pool holds one other request.
//
// It is what keeps policies by match from a hot spot. A prompt that four of five requests begin with, with answers of 400
// tokens, was with one of eight replicas, since that costs the others nothing to compute: at 20 and 40 requests a second
// cache_aware's first tokens took 114 and 237 ms and each other 36 and 89. With factor 1.25 and margin 4 it is 49 and 63,
// 10 and 16; join_shortest_queue has 48 and 61, 9 and 14. On mooncake's conversations × 2 (1,536,000 tokens a cache)
// expected_ttft waits 827 ms instead of 2,390. Where no prompt is hot cache_aware has little of it: 732 ms instead of 737 on
// those × 1.5, 1,007 instead of 949 on the synthetic trace × 2 with 409,600 tokens. Margin 2 costs that trace .006 of the
// hit ratio. With nothing queued expected_ttft hits .613 of the synthetic trace, and .617 without the bound or with margin 8,
// with which it waits 1,069 ms in the conversations × 2.
func (v *view) most(i int, b config.Bound) float64 {
	return math.Ceil(b.LoadFactor*(v.shares.requests+1)*v.fair(i)) + float64(b.LoadMargin)
}

// relieve lets those that are at the bound come last of the well, as a retry's last resort. Someone is always below it: the
// bounds add up to more than the requests.
//
// Whom other clients alone have put there has no part in what is shared out, by its page of metrics: nothing that is decided
// here evens that out, and a mean that holds it would be a bound for none of the others.
func (v *view) relieve(b config.Bound) {
	for again := true; again; {
		again = false
		for i, c := range v.class {
			if others := v.requests[i] - float64(v.pool.InFlight(i)); c == well && others > 0 && others >= v.most(i, b) {
				v.class[i], again = over, true
				v.shares.size, v.shares.weight = v.shares.size-1, v.shares.weight-v.pool.Weight(i)
				v.shares.requests -= v.requests[i]
			}
		}
	}
	for i, c := range v.class {
		if c == well && v.requests[i] >= v.most(i, b) {
			v.class[i] = over
		}
	}
}
