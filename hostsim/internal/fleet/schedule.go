package fleet

// run does what is due at time t: it ends the step under way, if any, and starts the next.
func (e *Engine) run(t int64) {
	if e.stepping {
		e.finishStep(t)
	}
	e.startStep(t)
}

// startStep schedules one step at time t: running requests, then waiting ones.
func (e *Engine) startStep(t int64) {
	e.stepping = false
	if len(e.running) == 0 && e.waiting.len() == 0 {
		return
	}
	var w work
	budget := e.profile.MaxNumBatchedTokens
	budget, preempted := e.scheduleRunning(t, budget, &w)
	if !preempted {
		e.scheduleWaiting(t, budget, &w)
	}
	took := e.profile.stepTime(w)
	if e.slowdown != 1 {
		took = max(1, int64(float64(took)*e.slowdown))
	}
	e.stepping, e.stepEnd = true, t+took
	e.stats.Steps++
	e.stats.Busy += took
}

// scheduleRunning gives the running requests their tokens, in order of admission, and preempts from the end
// of that order when blocks run out. It returns the budget left and whether any was preempted.
func (e *Engine) scheduleRunning(t int64, budget int, w *work) (left int, preempted bool) {
	for i := 0; i < len(e.running); i++ {
		s := e.running[i]
		s.scheduled = 0
		n := min(s.total()-s.computed, budget)
		if n == 0 {
			continue
		}
		for !e.grow(s, n) {
			last := e.running[len(e.running)-1]
			e.preempt(t, last)
			preempted = true
			if last == s {
				return budget, true
			}
		}
		e.schedule(s, n, w)
		budget -= n
	}
	return budget, preempted
}

// scheduleWaiting admits waiting requests while budget, blocks and max_num_seqs allow.
func (e *Engine) scheduleWaiting(t int64, budget int, w *work) {
	for e.waiting.len() > 0 && budget > 0 && len(e.running) < e.profile.MaxNumSeqs {
		s := e.waiting.peek()
		size := e.profile.BlockSize
		// The last known token is always computed, since its output is wanted: hits stop before it.
		usable := min((s.total()-1)/size, len(s.hashes))
		hit, hitFree := e.pool.lookup(s.hashes[:usable])
		whole := (s.total() + size - 1) / size
		if whole-hit+hitFree > e.pool.free {
			return
		}
		e.waiting.pop()
		e.admit(t, s, hit, w)
		n := min(s.total()-s.computed, budget)
		e.grow(s, n)
		e.schedule(s, n, w)
		budget -= n
	}
}

// admit moves a request that was waiting to the end of the running ones, with hit blocks from the cache.
func (e *Engine) admit(t int64, s *seq, hit int, w *work) {
	if s.blocks == nil {
		s.blocks = make([]int32, 0, (s.PromptTokens+s.max)/e.profile.BlockSize+1)
	}
	s.blocks = e.pool.share(s.blocks[:0], s.hashes[:hit])
	s.computed, s.stored = hit*e.profile.BlockSize, hit
	s.running = true
	e.running = append(e.running, s)
	if s.Scheduled >= 0 {
		return // back from preemption: vLLM counts its lookup apart
	}
	s.Scheduled, s.CachedTokens = t, s.computed
	e.stats.Queries += int64(s.PromptTokens)
	e.stats.Hits += int64(s.computed)
	w.admitted++
}

// grow makes room for n more tokens; false when there are too few free blocks.
func (e *Engine) grow(s *seq, n int) bool {
	size := e.profile.BlockSize
	need := (s.computed+n+size-1)/size - len(s.blocks)
	if need > e.pool.free {
		return false
	}
	s.blocks = e.pool.take(s.blocks, need)
	return true
}

// schedule puts n tokens of s into the step and enters the blocks they fill in the cache at once, so that a
// request of the same step can already share them.
func (e *Engine) schedule(s *seq, n int, w *work) {
	if s.Generated > 0 && n == 1 && s.computed == s.total()-1 {
		w.addDecode(s.computed + 1)
	} else {
		w.addPrefill(n, s.computed)
		e.stats.PrefillComputed += int64(n)
	}
	s.scheduled = n
	full := min((s.computed+n)/e.profile.BlockSize, len(s.hashes))
	for ; s.stored < full; s.stored++ {
		e.pool.store(s.blocks[s.stored], s.hashes[s.stored])
	}
}

// preempt frees the blocks of the request admitted last and puts it at the head of those that wait.
func (e *Engine) preempt(t int64, s *seq) {
	e.pool.release(s.blocks)
	s.blocks, s.computed, s.stored, s.scheduled, s.running = s.blocks[:0], 0, 0, 0, false
	e.running[len(e.running)-1] = nil
	e.running = e.running[:len(e.running)-1]
	e.waiting.pushFront(s)
	s.Preemptions++
	e.stats.Preemptions++
	e.events = append(e.events, Event{Preempted, t, &s.Record})
}

// finishStep credits the step's tokens, and ends the requests that have all of theirs.
func (e *Engine) finishStep(t int64) {
	kept := e.running[:0]
	for _, s := range e.running {
		s.computed += s.scheduled
		s.ComputedTokens += s.scheduled
		if s.scheduled > 0 && s.computed == s.total() {
			e.emit(t, s)
		}
		s.scheduled = 0
		if s.Generated < s.max {
			kept = append(kept, s)
			continue
		}
		s.Final = t
		s.running = false
		e.pool.release(s.blocks)
		s.blocks = nil
		delete(e.byID, s.ID)
		e.stats.Finished++
		e.events = append(e.events, Event{Finished, t, &s.Record})
	}
	clear(e.running[len(kept):])
	e.running = kept
}

// emit adds one generated token.
func (e *Engine) emit(t int64, s *seq) {
	s.Generated++
	e.stats.GeneratedTokens++
	if s.Generated == 1 {
		s.First = t
		e.stats.PromptTokens += int64(s.PromptTokens)
		e.events = append(e.events, Event{FirstToken, t, &s.Record})
	} else if e.tokenEvents {
		e.events = append(e.events, Event{Token, t, &s.Record})
	}
}
