package pool

import "warmroute/plugin/prefix"

// Match is the leading blocks of the chain that each endpoint is believed to hold, by index; valid until the next call.
func (p *Pool) Match(f *Flight) (depth []int32) {
	if depth = p.match(f); p.Index != nil && f.Total > 0 {
		f.shared, f.before = p.Shared(), p.Index.Seen(f.Chain.Hash)
		f.forks = max(f.shared, p.Parted())
		f.repeats, f.answer = p.repeats.Share(), p.longAnswer()
		if n := len(p.levels); n > 0 { // Seen forgets what came once and is used ever since
			f.before = max(f.before, int(p.levels[n-1].Blocks))
		}
	}
	return depth
}

// match is Match, where nothing is estimated of the prompt.
func (p *Pool) match(f *Flight) (depth []int32) {
	if p.Index != nil && f.Total > 0 {
		p.levels = p.Index.Match(f.Chain.Hash, p.depth)
	} else {
		clear(p.depth)
		p.levels = nil
	}
	return p.depth
}

// Levels is how many endpoints hold how much of the chain, the least first; what nobody holds is left out. It follows Match.
func (p *Pool) Levels() []prefix.Level { return p.levels }

// Shared is how many leading blocks of the chain other conversations begin with, too. It follows Match.
func (p *Pool) Shared() int {
	if len(p.levels) == 0 {
		return 0
	}
	return p.Index.Shared()
}

// Parted is how many leading blocks of the chain another chain has gone on from otherwise: prefix.Index.Parted. It follows Match.
func (p *Pool) Parted() int {
	if len(p.levels) == 0 {
		return 0
	}
	return p.Index.Parted()
}

// Expect records what an endpoint's cache is believed to hold of the prompt, to compare with the response. It follows
// Match. Where that is all that was sent before, and not only what several conversations begin with, it may hold the answer behind it, too.
func (p *Pool) Expect(f *Flight, endpoint int) {
	f.Matched = 0
	if p.Index == nil || f.Total == 0 {
		return
	}
	f.Matched, f.known = int(p.depth[endpoint]), f.before
	f.evicted = f.Matched < f.held && p.Index.Evicted(endpoint, f.Chain.Hash, f.Matched)
	if f.known == f.Matched && f.known > f.shared {
		f.known = f.Total
	}
	if f.Matched > 0 {
		f.touched, _ = p.Index.Touched(endpoint, f.Chain.Hash, f.Matched)
	}
}

// hadLastTurn says whether an endpoint that holds so many leading blocks has had the turn before this one: all that was sent anywhere before,
// behind which nothing else has gone on.
func (f *Flight) hadLastTurn(blocks int) bool { return blocks == f.before && blocks > f.forks }

// Cached estimates the prompt's cached tokens if its first blocks are cached and the next one is not as a whole. Behind the turn before stands
// its answer.
func (f *Flight) Cached(blocks int) float64 {
	tokens := f.ofPrompts(blocks)
	if f.hadLastTurn(blocks) && blocks < f.Total {
		tokens += min(float64(f.repeats*(f.Tokens-tokens)), f.answer)
	}
	return f.inBlocks(tokens, blocks)
}

// cachedOfPrompts is Cached without that answer.
func (f *Flight) cachedOfPrompts(blocks int) float64 { return f.inBlocks(f.ofPrompts(blocks), blocks) }

// ofPrompts estimates how many leading tokens of the prompt were sent where its first blocks are known: that prompt differs, or ends, somewhere
// within the next block, after half of it on average.
func (f *Flight) ofPrompts(blocks int) float64 {
	if blocks == 0 {
		return 0
	}
	return min((float64(f.Chain.Covered(blocks))+f.half(blocks))/f.perToken, f.Tokens)
}

// half is half of the bytes of the block behind so many.
func (f *Flight) half(blocks int) float64 {
	covered := f.Chain.Covered(blocks)
	next := f.bytes - covered
	if blocks < f.Total {
		next = f.Chain.Covered(blocks+1) - covered
	}
	return float64(max(next, 0)) / 2
}

// inBlocks is what a cache finds of so many leading tokens that it may hold, with so many blocks of the index.
func (f *Flight) inBlocks(tokens float64, blocks int) float64 {
	if f.grain == 0 || blocks == 0 {
		return tokens
	}
	return f.wholeBlocks(tokens, f.half(blocks)/f.perToken)
}

// Uncached estimates the prompt's tokens after its leading blocks: at least 1, because the last token is always computed.
func (f *Flight) Uncached(blocks int) float64 {
	return max(f.Tokens-f.Cached(blocks), 1)
}
