package pool

import (
	"math"
	"slices"
)

// A cache finds whole blocks of its own of a prompt. Most servers' have 16 tokens, which is finer than what is known of a prompt; those of
// hybrid models, of attention and recurrent layers, have hundreds or thousands, and a prompt that ends before the first of them, or a
// turn that adds too little to fill one, finds nothing more (docs/rule.md).

// coarse is from how many tokens on blocks of a cache count: the index's own have 64 and more.
const coarse = 128

// setGrain takes how many tokens what endpoint i finds is a multiple of. The median counts, since a pool has one model: one page must not say it for
// all.
func (p *Pool) setGrain(i int, tokens float64) {
	c := &p.ends[i].cache
	if tokens = min(tokens, maxGrain); c.hitTokens == tokens {
		return
	}
	c.hitTokens = tokens
	p.fitGrain()
}

// fitGrain computes the grain again: an endpoint has told another, or has left.
func (p *Pool) fitGrain() {
	list := p.memories.all[:0]
	for i := range p.ends {
		if of := p.ends[i].cache.hitTokens; of > 0 {
			list = append(list, of)
		}
	}
	if p.memories.all, p.grain = list, median(list); p.grain < coarse {
		p.grain = 0
	}
}

// median puts the list in order; of none it is 0, of two the lower one.
func median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[(len(list)-1)/2]
}

// wholeBlocks is the mean of what a cache with coarse blocks finds of about so many tokens, which may be more or less by as many as off.
func (f *Flight) wholeBlocks(tokens, off float64) float64 {
	off += tokens / tokenError
	tokens = min(tokens, f.Tokens-1) // the last one is always computed
	from, to := max(tokens-off, 0), tokens+off
	if to-from < 1 {
		return max(math.Floor(tokens/f.grain)*f.grain, 0)
	}
	return min((floors(to/f.grain)-floors(from/f.grain))*f.grain*f.grain/(to-from), max(f.Tokens, 0))
}

// believed is how many bytes of the prompt its endpoint's cache finds unless it has lost some. Where states are kept only where steps ended, a
// beginning that others share is found only if one of them ended about there: that it is not says nothing of what the cache has evicted.
func (f *Flight) believed() int {
	switch {
	case f.grain == 0:
		return f.Chain.Covered(f.Matched)
	case f.Matched <= f.shared:
		return 0
	}
	return int(f.cachedOfPrompts(f.Matched) * f.perToken)
}

// floors is the integral of the whole numbers below, from 0 to x.
func floors(x float64) float64 {
	n := math.Floor(x)
	return float64(n*(n-1)/2) + float64(n*(x-n))
}
