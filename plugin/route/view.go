package route

import (
	"math"
	"slices"

	"warmroute/plugin/pool"
)

// view is what a policy sees of the pool; look sets it for each request. Slices are by endpoint.
type view struct {
	pool *pool.Pool

	class    []class
	best     class       // the first class that has an endpoint: its endpoints share the load
	shares   share       // their sums
	depth    []int32     // leading blocks of the chain that each endpoint is believed to hold
	requests []float64   // at each endpoint, of all clients
	cost     []float64   // by the policy, in its unit
	queue    []float64   // prompt tokens that are not computed yet; the policy's to fill
	held     []pool.Held // beginnings of the prompt that endpoints hold, the longest first; the policy's to fill
	zoned    bool        // endpoints are in several zones
	given    []float64   // prompt tokens sent recently, by all workers; arrivals sets it
}

// share is the sum over the endpoints of the best class.
type share struct {
	size, weight int
	requests     float64 // of all clients
}

// class orders endpoints: all of one class are tried before those of the next.
type class uint8

const (
	well     class = iota
	over           // well, but at the policy's bound of load
	draining       // is to get no new requests while others can
	down           // fails, or hangs
	classes
	absent = classes // not in the pool: never tried
)

// grow makes room for all endpoints of the pool.
func (v *view) grow() {
	for i := len(v.class); i < len(v.pool.Endpoints); i++ {
		v.class = append(v.class, absent)
		v.cost, v.given, v.requests = append(v.cost, 0), append(v.given, 0), append(v.requests, 0)
		v.queue = append(v.queue, 0)
	}
}

// look sets the class and the requests of each endpoint, and what its cache is believed to hold of the prompt.
func (v *view) look(now int64, d *Decision) {
	v.grow()
	p := v.pool
	var of [classes]share
	for i := range v.class {
		switch {
		case !p.Present(i):
			v.class[i] = absent
			continue
		case p.Down(i):
			v.class[i] = down
		case p.Draining(i):
			v.class[i] = draining
		default:
			v.class[i] = well
		}
		v.requests[i] = p.Requests(i, now)
		s := &of[v.class[i]]
		s.size, s.weight, s.requests = s.size+1, s.weight+p.Weight(i), s.requests+v.requests[i]
	}
	v.best = well
	for v.best < down && of[v.best].size == 0 {
		v.best++
	}
	v.shares = of[v.best]
	v.zoned = p.Zoned()
	v.depth = p.Match(&d.Flight)
}

// arrivals is the recent rate of arrival at all endpoints, a second: requests, and prompt tokens to compute.
func (v *view) arrivals(now int64) (requests, tokens float64) { return v.pool.Arrivals(now, v.given) }

// fair is endpoint i's share of the load by its weight, 0 to 1, among the endpoints of the best class. Endpoints that get
// nothing, because they fail or are for standby, do not count: with them all others would be far above their fair share.
func (v *view) fair(i int) float64 { return float64(v.pool.Weight(i)) / float64(v.shares.weight) }

// onRing fills the order in the order of the ring from key on, class by class.
func (v *view) onRing(key uint64, n int, d *Decision) {
	d.Key, d.HasKey = key, true
	for c := well; c < classes && len(d.Order) < n; c++ {
		walk := v.pool.Ring.From(key)
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
	d.Reason = AtHome
	switch {
	case d.Order[0] == d.Home:
	case v.class[d.Home] == over:
		d.Reason = Bounded
	default:
		d.Reason = HomeAway
	}
}

// leastFirst fills the order by cost, class by class. Costs within margin of the least count as equal; of those the proxy's own
// zone goes first, and between them the ring decides, from d.Key on.
func (v *view) leastFirst(margin float64, n int, d *Decision) {
	for c := well; c < classes; c++ {
		for len(d.Order) < n {
			least, equals := math.Inf(1), 0
			for i, cost := range v.cost {
				if v.class[i] == c && cost < least && !slices.Contains(d.Order, i) {
					least = cost
				}
			}
			best, near := -1, false
			for i, cost := range v.cost {
				if v.class[i] != c || cost > least+margin || slices.Contains(d.Order, i) {
					continue
				}
				if v.zoned {
					switch away := v.pool.Away(i); {
					case near && away:
						continue
					case !near && !away:
						near, equals = true, 0
					}
				}
				best = i
				equals++
			}
			if equals == 0 {
				break
			}
			if equals > 1 {
				best = v.firstOnRing(d, c, least+margin, near)
			}
			d.Order = append(d.Order, best)
		}
	}
	if len(d.Order) > 1 {
		d.Margin = v.cost[d.Order[1]] - v.cost[d.Order[0]]
	}
}

// firstOnRing is the first endpoint on the ring, from d.Key on, that is of class c, costs at most limit and is not yet in
// the order; near, that is in no other zone. There must be one.
func (v *view) firstOnRing(d *Decision, c class, limit float64, near bool) int {
	walk := v.pool.Ring.From(d.Key)
	for {
		i, ok := walk.Next()
		if !ok {
			return 0
		}
		if v.class[i] == c && v.cost[i] <= limit && !(near && v.pool.Away(i)) && !slices.Contains(d.Order, i) {
			return i
		}
	}
}
