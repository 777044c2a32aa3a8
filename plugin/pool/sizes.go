package pool

import (
	"math"

	"warmroute/plugin/speed"
)

// Endpoints of one pool may have KV memories of very different size. What one with little keeps is evicted sooner, so it is due fewer of the prompts
// to compute, and where memory is short it runs fewer at a time.

// sizes is how the memories of a pool's endpoints compare.
type sizes struct {
	memory  []float32 // × their mean; nil: all hold as much, or none tells
	places  []float32 // Places; never written again
	least   float64   // of memory
	changed bool      // since they were compared
}

// Places is what part each endpoint takes of the places on the ring that it could, 0 to 1, by its metrics; nil: each takes all. All gateways know
// that, as they know the ring. Work is due to an endpoint in proportion to its memory and its speed, but what one gateway has learned of speeds another has not:
// a card with more memory is faster, too, in the mean by about the root of that (docs/rule.md). Valid after Look.
func (p *Pool) Places() []float32 { return p.sizes.places }

// memoryOf is the KV memory of endpoint i, × the mean of all. One that does not tell has as much as that.
func (p *Pool) memoryOf(i int) float64 {
	if p.sizes.memory == nil {
		return 1
	}
	return float64(p.sizes.memory[i])
}

// LeastMemory is the least KV memory of an endpoint, × the mean of all, 0 to 1. Valid after Look.
func (p *Pool) LeastMemory() float64 {
	if p.sizes.memory == nil {
		return 1
	}
	return p.sizes.least
}

// compareSizes compares the memories anew, if one has changed, or an endpoint has joined or left.
func (p *Pool) compareSizes() {
	if !p.sizes.changed {
		return
	}
	s, had := sizes{}, p.sizes.memory != nil
	least, most, sum, told := math.Inf(1), 0., 0., 0.
	for i := range p.ends {
		if said := p.ends[i].cache.said; said >= 1 && p.Present(i) {
			least, most, sum, told = min(least, said), max(most, said), sum+said, told+1
		}
	}
	if mean := sum / told; most > least*speed.Alike {
		s.memory, s.places, s.least = make([]float32, len(p.ends)), make([]float32, len(p.ends)), least/mean
		for i := range p.ends {
			said := p.ends[i].cache.said
			if said < 1 {
				said = mean
			}
			part := said / most
			s.memory[i], s.places[i] = float32(said/mean), float32(part*math.Sqrt(part))
		}
	}
	if p.sizes = s; had || s.memory != nil {
		p.touchAll()
	}
}
