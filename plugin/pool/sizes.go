package pool

import (
	"math"
	"slices"

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
	if !p.sizes.changed || p.borrowed && len(p.sizes.memory) == len(p.ends) { // else the other one's pages tell
		return
	}
	s, had := sizes{}, p.sizes.memory != nil
	if told := p.toldSizes(); len(told) > 0 && told[len(told)-1] > told[0]*speed.Alike {
		limit, sum := mostMemory*told[(len(told)-1)/2], 0.
		for _, said := range told {
			sum += min(said, limit)
		}
		mean, scale := sum/float64(len(told)), powerOfTwo(min(told[len(told)-1], limit))
		s.memory, s.places, s.least = make([]float32, len(p.ends)), make([]float32, len(p.ends)), told[0]/mean
		for i := range p.ends {
			said := min(p.ends[i].cache.said, limit)
			if said < 1 {
				said = mean
			}
			part := said / scale
			s.memory[i], s.places[i] = float32(said/mean), float32(max(part*math.Sqrt(part), leastPlaces))
		}
	}
	if p.sizes = s; had || s.memory != nil {
		p.touchAll()
	}
}

// toldSizes is the tokens that the endpoints' memories hold which tell, the least first.
func (p *Pool) toldSizes() (told []float64) {
	for i := range p.ends {
		if said := p.ends[i].cache.said; said >= 1 && p.Present(i) {
			told = append(told, said)
		}
	}
	slices.Sort(told)
	return told
}

// powerOfTwo is the next one from x on. Were places parts of the largest memory itself, another one that is a little larger would move all homes.
func powerOfTwo(x float64) float64 {
	part, exponent := math.Frexp(x)
	if part == 0.5 {
		return x
	}
	return math.Ldexp(1, exponent)
}

// leastPlaces is the least part of its places on the ring that an endpoint takes: 16 points of 256, so that small ones have about as many keys as
// each other, and one that claims much too much memory leaves some to the others.
const leastPlaces = 1. / 16

// mostMemory is how many times as much as the median a memory counts at most: one that claims what no card has is not to get all prompts.
const mostMemory = 16
