package route

import (
	"math"
	"slices"

	"warmroute/plugin/decision"
)

// onRing fills the order in the order of the ring from key on, class by class; endpoints have the ring's places by v.places.
func (v *view) onRing(key uint64, n int, d *decision.Decision) {
	d.Key, d.HasKey = key, true
	for c := well; c < classes && len(d.Order) < n; c++ {
		walk := v.pool.Ring.FromBy(key, v.places)
		for len(d.Order) < n {
			i, ok := walk.Next()
			if !ok {
				break
			}
			if d.Home < 0 {
				d.Home = i
			}
			if v.class[i] == c {
				d.Order = append(d.Order, i)
			}
		}
	}
	d.Reason = decision.AtHome
	switch {
	case d.Order[0] == d.Home:
	case v.class[d.Home] == over:
		d.Reason = v.why(d.Home)
	default:
		d.Reason = decision.HomeAway
	}
}

// leastFirst fills the order by cost, class by class. Costs within margin of the least count as equal; of those the proxy's own
// zone goes first, and between them the ring decides, from d.Key on.
func (v *view) leastFirst(margin float64, n int, d *decision.Decision) {
	var ring owners
	for c := well; c < classes && len(d.Order) < n; c++ {
		before := len(d.Order)
		// Whichever are taken, the least that is left and the next are among so many.
		for least := v.cheapest(c, n-before+1, 0); len(d.Order) < n; {
			best, next := firstTwo(least, d.Order[before:])
			if best < 0 {
				break
			}
			if limit := v.cost[best] + margin; next >= 0 && v.cost[next] <= limit {
				best = v.firstOnRing(&ring, d, c, limit, v.anyNear(d, c, limit))
			}
			d.Order = append(d.Order, best)
		}
	}
	if len(d.Order) > 1 {
		d.Margin = v.cost[d.Order[1]] - v.cost[d.Order[0]]
	}
}

// firstTwo is the first two of least that are not taken; −1 for one that there is not.
func firstTwo(least, taken []int) (first, second int) {
	first = -1
	for _, i := range least {
		switch {
		case slices.Contains(taken, i):
		case first < 0:
			first = i
		default:
			return first, i
		}
	}
	return first, -1
}

// anyNear says whether zones count, and of the endpoints of a class that cost at most limit and are not yet in the order one is
// in the proxy's own.
func (v *view) anyNear(d *decision.Decision, c class, limit float64) bool {
	if !v.zoned {
		return false
	}
	for i, cost := range v.cost {
		if v.class[i] == c && cost <= limit && !v.pool.Away(i) && !slices.Contains(d.Order, i) {
			return true
		}
	}
	return false
}

// cheapest is the n endpoints of a class that cost least, or as many as there are, the least first; of equal ones that in the
// proxy's own zone, or else that which comes first from endpoint `from` on. It is valid until the next call.
func (v *view) cheapest(c class, n, from int) []int {
	v.least = v.least[:0]
	limit := math.Inf(1) // what a further one must cost less than
	costs := v.cost[:len(v.class)]
	for _, span := range [2][2]int{{from, len(costs)}, {0, min(from, len(costs))}} {
		for i := span[0]; i < span[1]; i++ {
			cost := costs[i]
			if cost > limit || v.class[i] != c || cost == limit && len(v.least) == n && !v.nearer(i, v.least[n-1]) {
				continue
			}
			if len(v.least) < n {
				v.least = append(v.least, i)
			} else {
				v.least[n-1] = i
			}
			for at := len(v.least) - 1; at > 0 && v.before(i, v.least[at-1]); at-- {
				v.least[at], v.least[at-1] = v.least[at-1], v.least[at]
			}
			if len(v.least) == n {
				limit = v.cost[v.least[n-1]]
			}
		}
	}
	return v.least
}

// before says whether endpoint i costs less than another, or as much and is nearer.
func (v *view) before(i, other int) bool {
	return v.cost[i] < v.cost[other] || v.zoned && v.cost[i] == v.cost[other] && v.nearer(i, other)
}

// owners are those of the ring from a request's key on, once they are asked for.
type owners struct {
	found bool
	parts [2][]int32
}

// firstOnRing is the first endpoint on the ring, from d.Key on, that is of class c, costs at most limit and is not yet in
// the order; near, that is in no other zone. There must be one.
func (v *view) firstOnRing(ring *owners, d *decision.Decision, c class, limit float64, near bool) int {
	if !ring.found {
		ring.found = true
		ring.parts[0], ring.parts[1] = v.pool.Ring.Owners(d.Key)
	}
	for k := range ring.parts {
		for _, owner := range ring.parts[k] {
			i := int(owner)
			if v.class[i] == c && v.cost[i] <= limit && !(near && v.pool.Away(i)) && !slices.Contains(d.Order, i) {
				return i
			}
		}
	}
	return 0
}
