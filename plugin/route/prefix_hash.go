package route

import (
	"math"

	"warmroute/plugin/config"
)

// prefixHash sends equal prompt beginnings to the same endpoint: consistent hashing with bounded loads (Mirrokni,
// Thorup, Zadimoghaddam, "Consistent Hashing with Bounded Loads", SODA 2018) over the first characters of the
// prompt. An endpoint may hold up to factor × its fair share of the requests in flight, rounded up, plus margin:
// the paper's bound alone would refuse the home of a prompt whenever a nearly idle pool holds one other request.
type prefixHash struct {
	pool   *pool
	chars  int
	factor float64
	margin int
}

func newPrefixHash(cfg *config.Config, p *pool) *prefixHash {
	h := cfg.PrefixHash
	return &prefixHash{pool: p, chars: h.PrefixChars, factor: h.LoadFactor, margin: h.LoadMargin}
}

// bound is the number of requests that endpoint i may have in flight, this one included.
func (p *prefixHash) bound(i int) int {
	return int(math.Ceil(p.factor*float64(p.pool.shares.inFlight+1)*p.pool.fair(i))) + p.margin
}

func (p *prefixHash) pick(req *Request, n int, d *Decision) {
	// Someone is always below the bound: the bounds add up to more than the requests in flight. Those above it
	// come last of the well, as a retry's last resort.
	for i, c := range p.pool.class {
		if c == well && p.pool.load.InFlight(i)+1 > p.bound(i) {
			p.pool.class[i] = over
		}
	}
	p.pool.onRing(beginningKey(d.seed, req, p.chars), n, d)
	d.term("home_in_flight", float64(p.pool.load.InFlight(d.Home)))
	d.term("bound", float64(p.bound(d.Home)))
}
