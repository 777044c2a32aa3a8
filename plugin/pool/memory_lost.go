package pool

// noteLost counts f's response. Of its prompt, what had been computed lately is known from when it was decided (Return); and what was
// computed for it from its usage, or else, also where that says nothing of the cache, from what its endpoint was believed to hold.
func (p *Pool) noteLost(f *Flight, now int64, o *Outcome) {
	again := f.uncached - f.fresh
	if o.Usage && o.PromptTokens > 0 && !f.atypical && !f.fetched {
		computed, fresh := float64(max(o.PromptTokens-o.CachedTokens, 0)), f.fresh/max(f.Tokens, 1)
		again = computed - fresh*float64(o.PromptTokens)
		if grain := p.ends[f.endpoint].cache.grain; grain < maxGrain { // it is known: a block that is not full is not kept
			again -= float64(grain)
		}
	}
	again -= max(f.Uncached(f.Matched)-f.Uncached(f.held), 0) // another one holds that: it is a copy
	took := float64(o.whole(now) - f.begun)
	if f.first != 0 {
		took = float64(f.first - f.begun)
	}
	p.Lost.Note(f.endpoint, min(max(again, 0)*p.PerToken(f.endpoint), max(took, 0)/1e9), now)
}
