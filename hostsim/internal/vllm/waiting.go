package vllm

import "slices"

// scheduleWaiting admits waiting requests while budget, blocks and max_num_seqs allow: first those that hold KV which came
// from host memory. Those whose adapter finds no slot in this step are passed over, and keep their place.
func (e *Engine) scheduleWaiting(t int64, budget int, st *step) {
	if len(e.holding) > 0 {
		budget = e.scheduleHolding(t, budget, st)
	}
	if len(e.holding) > 0 && len(e.running) == 0 {
		return
	}
	for e.waiting.len() > 0 && budget > 0 && len(e.running) < e.profile.MaxNumSeqs {
		s := e.waiting.peek()
		if e.adapters != nil && !e.adapters.admit(s.adapter) {
			e.skipped = append(e.skipped, s)
			e.waiting.pop()
			continue
		}
		found, fits := e.lookup(s, budget)
		if !fits {
			break
		}
		e.waiting.pop()
		e.share(s, found)
		if e.host != nil && e.load(t, s) {
			continue
		}
		budget -= e.admit(t, s, budget, st)
	}
	for i := len(e.skipped) - 1; i >= 0; i-- {
		e.waiting.pushFront(e.skipped[i])
	}
	e.skipped = e.skipped[:0]
}

// scheduleHolding admits those that hold KV, and returns the budget left. If none fits and nothing runs, the last gives its
// blocks back, since together they could wait for each other for ever.
func (e *Engine) scheduleHolding(t int64, budget int, st *step) int {
	for i := 0; i < len(e.holding) && budget > 0 && len(e.running) < e.profile.MaxNumSeqs; {
		s := e.holding[i]
		if e.adapters != nil && !e.adapters.admit(s.adapter) {
			i++
			continue
		}
		if !e.fits(s, len(s.blocks), 0, budget) {
			last := e.holding[len(e.holding)-1]
			if len(e.running) > 0 || last == s {
				break
			}
			e.holding = e.holding[:len(e.holding)-1]
			e.pool.release(last.blocks)
			last.blocks, last.computed, last.stored = last.blocks[:0], 0, 0
			e.waiting.pushFront(last)
			continue
		}
		e.holding = slices.Delete(e.holding, i, i+1)
		budget -= e.admit(t, s, budget, st)
	}
	return budget
}

// usable are the leading blocks of s that can be hit. The last known token is always computed, since its output is needed.
func (e *Engine) usable(s *seq) []uint64 {
	return s.hashes[:min((s.total()-1)/e.profile.BlockSize, len(s.hashes))]
}

// missed is a look-up of so many blocks whose request did not fit: how many were in use, and the pool's count then.
type missed struct{ blocks, inUse, gained int }

// lookup finds the leading blocks that s hits, and whether s fits. It is not looked up where it did not fit before, and does
// not with all that the pool has gained since.
func (e *Engine) lookup(s *seq, budget int) (found []int32, fits bool) {
	usable, m := e.usable(s), &s.missed
	if m.blocks == len(usable) && e.need(s)-m.inUse-(e.pool.gained-m.gained) > e.pool.free {
		return nil, false
	}
	found, free := e.pool.lookup(usable)
	if e.profile.AlignedStates == 1 {
		found, free = e.pool.toState(found, free)
	}
	if fits = e.fits(s, len(found), free, budget); !fits {
		*m = missed{len(usable), len(found) - free, e.pool.gained}
	}
	return found, fits
}

// need is the blocks of the whole known sequence.
func (e *Engine) need(s *seq) int { return (s.total() + e.profile.BlockSize - 1) / e.profile.BlockSize }

// fits reports whether the whole known sequence fits into the free blocks (scheduler_reserve_full_isl), of which it has
// hit, free of them on the free list; and, without chunked prefill, into the budget.
func (e *Engine) fits(s *seq, hit, free, budget int) bool {
	if e.need(s)-hit+free > e.pool.free {
		return false
	}
	return e.profile.ChunkedPrefillOff == 0 || e.chunk(s.total()-hit*e.profile.BlockSize) <= budget
}

// share gives s the blocks of the cache that were found.
func (e *Engine) share(s *seq, found []int32) {
	if s.blocks == nil {
		s.blocks = make([]int32, 0, (s.PromptTokens+s.max)/e.profile.BlockSize+1)
	}
	s.blocks = e.pool.share(s.blocks[:0], found)
	s.computed, s.stored = len(found)*e.profile.BlockSize, len(found)
	if s.CachedTokens >= 0 {
		return // it was preempted before: vLLM does not count its lookup here
	}
	s.CachedTokens = s.computed
	if e.profile.PrefixCachingOff == 0 {
		e.stats.Queries += int64(s.PromptTokens)
		e.stats.Hits += int64(s.computed)
	}
}

// admit moves a request, with what it has of the cache, to the end of the running ones, and schedules its first tokens: it
// returns how many.
func (e *Engine) admit(t int64, s *seq, budget int, st *step) int {
	s.running = true
	e.running = append(e.running, s)
	if e.adapters != nil {
		e.adapters.need(s.adapter)
	}
	if s.Scheduled < 0 {
		s.Scheduled = t
		st.work.admitted++
	}
	n := e.aligned(s, min(e.chunk(s.total()-s.computed), budget))
	e.grow(s, n)
	e.schedule(s, n, 0, st)
	return n
}
