package route

import (
	"math"

	"warmroute/plugin/load"
	"warmroute/plugin/prefix"
	"warmroute/plugin/ring"
)

// pool is what all policies share: the endpoints' load, their places on the ring, and what Router.Pick found out for
// the request at hand.
type pool struct {
	load  *load.Table
	ring  *ring.Ring
	index *prefix.Index // nil: none is kept

	size     int     // number of endpoints present
	class    []class // by endpoint: who is well
	best     class   // the first that has anyone: those bear the load, and are who is meant by a fair share
	shares   share
	depth    []int32   // leading blocks of the chain that each endpoint is believed to hold
	requests []float64 // at each endpoint, every client's; set by look
	cost     []float64
	given    []float64 // prompt tokens lately, by endpoint; set by arrivals

	told told // by the other workers
	long longRun

	caches *cache // what the servers say of theirs

	strange float64 // share of answers that show other gateways' prompts in a cache, smoothed
}

// share is what the endpoints that bear the load are together.
type share struct {
	size, weight int
	requests     float64 // every client's
}

const workSeconds = load.WorkSpan / 1e9

// class says when an endpoint may be tried: all of a class come before those of the next.
type class uint8

const (
	well     class = iota
	over           // well, but above the policy's bound of load
	draining       // gets no new requests while others can
	down           // fails
	classes
	absent = classes // not in the pool: never tried
)

// grow makes room for n endpoints, absent until they are added.
func (p *pool) grow(n int) {
	for i := len(p.class); i < n; i++ {
		p.class, p.depth = append(p.class, absent), append(p.depth, 0)
		p.cost, p.given, p.requests = append(p.cost, 0), append(p.given, 0), append(p.requests, 0)
		p.told.queued, p.told.work = append(p.told.queued, 0), append(p.told.work, 0)
		p.long.tokens = append(p.long.tokens, 0)
	}
}

// look finds out who is well, and how busy.
func (p *pool) look(now int64) {
	var of [classes]share
	for i := range p.class {
		switch {
		case !p.load.Present(i):
			p.class[i] = absent
			continue
		case p.load.Down(i):
			p.class[i] = down
		case p.load.Draining(i):
			p.class[i] = draining
		default:
			p.class[i] = well
		}
		p.requests[i] = p.load.Busy(i, now)
		s := &of[p.class[i]]
		s.size, s.weight, s.requests = s.size+1, s.weight+p.load.Weight(i), s.requests+p.requests[i]
	}
	p.best = well
	for p.best < down && of[p.best].size == 0 {
		p.best++
	}
	p.shares = of[p.best]
	clear(p.depth)
}

// fair is endpoint i's share of a load by its weight, 0 to 1. Those that are given nothing, because they fail or are
// there for when the others do, have no part in it: with them a fair share would be one that everyone is far above.
func (p *pool) fair(i int) float64 { return float64(p.load.Weight(i)) / float64(p.shares.weight) }

// crowded is how far endpoint i's requests are above its fair share of all: −1 to 1. Two more are no crowd.
func (p *pool) crowded(i int) float64 {
	return min(above(p.requests[i], p.shares.requests*p.fair(i), 2), 1)
}

// onRing fills the order by the ring from key, class by class.
func (p *pool) onRing(key uint64, n int, d *Decision) {
	d.Key, d.HasKey = key, true
	for c := well; c < classes && len(d.Order) < n; c++ {
		walk := p.ring.From(key)
		for len(d.Order) < n {
			i, ok := walk.Next()
			if !ok {
				break
			}
			if d.Home < 0 {
				d.Home = i
			}
			if p.class[i] == c {
				d.Order = append(d.Order, i)
			}
		}
	}
	d.Reason = AtHome
	switch {
	case d.Order[0] == d.Home:
	case p.class[d.Home] == over:
		d.Reason = Bounded
	default:
		d.Reason = HomeAway
	}
}

// leastFirst fills the order by cost, class by class. Costs within margin of the least count as equal; among equals
// the ring decides from d.Key.
func (p *pool) leastFirst(margin float64, n int, d *Decision) {
	for c := well; c < classes; c++ {
		for len(d.Order) < n {
			least, equals := math.Inf(1), 0
			for i, cost := range p.cost {
				if p.class[i] == c && cost < least && !contains(d.Order, i) {
					least = cost
				}
			}
			best := -1
			for i, cost := range p.cost {
				if p.class[i] == c && cost <= least+margin && !contains(d.Order, i) {
					best = i
					equals++
				}
			}
			if equals == 0 {
				break
			}
			if equals > 1 {
				best = p.firstOnRing(d, c, least+margin)
			}
			d.Order = append(d.Order, best)
		}
	}
	if len(d.Order) > 1 {
		d.Margin = p.cost[d.Order[1]] - p.cost[d.Order[0]]
	}
}

// firstOnRing is the first endpoint of a class from d.Key on whose cost is at most limit and that is not yet in the
// order. There is one.
func (p *pool) firstOnRing(d *Decision, c class, limit float64) int {
	walk := p.ring.From(d.Key)
	for {
		i, ok := walk.Next()
		if !ok {
			return 0
		}
		if p.class[i] == c && p.cost[i] <= limit && !contains(d.Order, i) {
			return i
		}
	}
}

func contains(order []int, i int) bool {
	for _, have := range order {
		if have == i {
			return true
		}
	}
	return false
}
