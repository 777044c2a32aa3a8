package route

import (
	"math"

	"warmroute/plugin/config"
	"warmroute/plugin/load"
	"warmroute/plugin/prefix"
	"warmroute/plugin/ring"
)

// prefixHash sends equal prompt beginnings to the same endpoint: consistent hashing with bounded loads (Mirrokni,
// Thorup, Zadimoghaddam, "Consistent Hashing with Bounded Loads", SODA 2018) over the first characters of the
// prompt. An endpoint may hold up to factor × its fair share of the requests in flight, rounded up, plus margin:
// the paper's bound alone would refuse the home of a prompt whenever a nearly idle pool holds one other request.
type prefixHash struct {
	load    *load.Table
	ring    *ring.Ring
	weights []int
	total   int // of the weights
	chars   int
	factor  float64
	margin  int
	over    []int // endpoints met above the bound; reused
}

func newPrefixHash(cfg *config.Config, table *load.Table, weights []int) *prefixHash {
	p := &prefixHash{
		load: table, ring: newRing(cfg), weights: weights,
		chars: cfg.PrefixHash.PrefixChars, factor: cfg.PrefixHash.LoadFactor, margin: cfg.PrefixHash.LoadMargin,
		over: make([]int, 0, len(weights)),
	}
	for _, w := range weights {
		p.total += w
	}
	return p
}

// bound is the number of requests that endpoint i may have in flight, this one included.
func (p *prefixHash) bound(i int) int {
	fair := float64(p.load.Total()+1) * float64(p.weights[i]) / float64(p.total)
	return int(math.Ceil(p.factor*fair)) + p.margin
}

func (p *prefixHash) pick(req *Request, n int, d *Decision) {
	seed := prefix.Seed(req.Prompt.Model, req.Prompt.Adapter, req.Prompt.Salt, req.Tenant)
	d.Key, d.HasKey = prefix.Key(seed, req.Prompt.Prefix(p.chars)), true

	p.over = p.over[:0]
	walk := p.ring.From(d.Key)
	for len(d.Order) < n {
		i, ok := walk.Next()
		if !ok {
			break
		}
		if d.Home < 0 {
			d.Home = i
		}
		if p.load.InFlight(i)+1 <= p.bound(i) {
			d.Order = append(d.Order, i)
		} else {
			p.over = append(p.over, i)
		}
	}
	// Someone is always below the bound: the bounds add up to more than the requests in flight. Those above it
	// come last, as a retry's last resort.
	for _, i := range p.over {
		if len(d.Order) < n {
			d.Order = append(d.Order, i)
		}
	}
	d.Reason = AtHome
	if d.Order[0] != d.Home {
		d.Reason = Bounded
	}
	d.term("home_in_flight", float64(p.load.InFlight(d.Home)))
	d.term("bound", float64(p.bound(d.Home)))
}
