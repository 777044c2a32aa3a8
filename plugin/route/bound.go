package route

import (
	"math"

	"warmroute/plugin/config"
)

// most is the number of requests that endpoint i may have, the one at hand included: factor × its fair share
// of all, rounded up (Mirrokni, Thorup, Zadimoghaddam, "Consistent Hashing with Bounded Loads", SODA 2018), plus margin.
// The paper's bound alone would refuse the home of a prompt whenever a nearly idle pool holds one other request.
//
// It is what keeps policies by match from a hot spot. A prompt that four of five requests begin with, with answers of some
// 400 tokens, was with one of eight replicas at 20 and at 40 requests a second, since that costs the others nothing to
// compute: cache_aware's first tokens took 158 and 344 ms and each other 55 and 100. With factor 1.25 and margin 4 it is 51
// and 76, 11 and 22; join_shortest_queue has 50 and 69, 10 and 17. Where no prompt is hot it costs nothing, and
// expected_ttft waited 767 ms instead of 910 on mooncake's conversations × 1.5, 848 instead of 2,211 × 2. Margin 2 costs
// conversations .003 and synthetic .006 of the hit ratio; factor 1.5 leaves the hot replica 25 ms a token.
func (p *pool) most(i int, b config.Bound) int {
	return int(math.Ceil(b.LoadFactor*(p.shares.requests+1)*p.fair(i))) + b.LoadMargin
}

// relieve lets those that are above the bound come last of the well, as a retry's last resort. Someone is always below
// it: the bounds add up to more than the requests in flight.
func (p *pool) relieve(b config.Bound) {
	for i, c := range p.class {
		if c == well && p.requests[i]+1 > float64(p.most(i, b)) {
			p.class[i] = over
		}
	}
}
