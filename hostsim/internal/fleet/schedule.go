package fleet

import "slices"

// maxPipeline is the largest number of steps at once: vLLM's batch queue holds two with async_scheduling.
const maxPipeline = 2

// step is one execution of the model.
type step struct {
	shares []share
	work   work
}

// share is one request's part in a step.
type share struct {
	seq    *seq
	tokens int
	emits  bool // it ends with a generated token
}

// run does what is due at time t: it ends the executing step, if any, and schedules the next steps.
func (e *Engine) run(t int64) {
	if e.pipeline > 0 {
		e.finishStep(t)
		if e.pipeline > 0 {
			e.begin(t)
		}
	}
	for e.pipeline <= e.profile.AsyncScheduling && e.scheduleStep(t) {
		if e.pipeline == 1 {
			e.begin(t)
		}
	}
}

// begin starts the execution of the first step at time t.
func (e *Engine) begin(t int64) {
	took := e.profile.stepTime(e.steps[0].work)
	if e.slowdown != 1 {
		took = max(1, int64(float64(took)*e.slowdown))
	}
	e.stepEnd = t + took
	e.stats.Steps++
	e.stats.Busy += took
}

// scheduleStep schedules a step at time t: running requests, then waiting ones. It reports whether there was work.
func (e *Engine) scheduleStep(t int64) bool {
	if len(e.running) == 0 && e.waiting.len() == 0 {
		return false
	}
	st := &e.steps[e.pipeline]
	st.shares, st.work = st.shares[:0], work{}
	left, preempted := e.scheduleRunning(t, e.profile.MaxNumBatchedTokens, st)
	if !preempted {
		e.scheduleWaiting(t, left, st)
	}
	if len(st.shares) == 0 && e.pipeline > 0 {
		return false // every request waits for the executing step
	}
	e.pipeline++
	return true
}

// scheduleRunning gives the running requests their tokens, in order of admission. When blocks run out it preempts
// requests from the end of that order. It returns the budget left and whether a request was preempted.
func (e *Engine) scheduleRunning(t int64, budget int, st *step) (left int, preempted bool) {
	for i := 0; i < len(e.running); i++ {
		s := e.running[i]
		n := min(s.total()-s.computed, budget)
		if n == 0 || s.Generated+s.pending == s.max {
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
		e.schedule(s, n, st)
		budget -= n
	}
	return budget, preempted
}

// scheduleWaiting admits waiting requests while budget, blocks and max_num_seqs allow.
func (e *Engine) scheduleWaiting(t int64, budget int, st *step) {
	for e.waiting.len() > 0 && budget > 0 && len(e.running) < e.profile.MaxNumSeqs {
		s := e.waiting.peek()
		size := e.profile.BlockSize
		// The last known token is always computed, since its output is needed: hits stop before it.
		usable := min((s.total()-1)/size, len(s.hashes))
		hit, hitFree := e.pool.lookup(s.hashes[:usable])
		whole := (s.total() + size - 1) / size
		if whole-hit+hitFree > e.pool.free {
			return
		}
		e.waiting.pop()
		e.admit(t, s, hit, &st.work)
		n := min(s.total()-s.computed, budget)
		e.grow(s, n)
		e.schedule(s, n, st)
		budget -= n
	}
}

// admit moves a waiting request to the end of the running ones, with hit blocks from the cache.
func (e *Engine) admit(t int64, s *seq, hit int, w *work) {
	if s.blocks == nil {
		s.blocks = make([]int32, 0, (s.PromptTokens+s.max)/e.profile.BlockSize+1)
	}
	s.blocks = e.pool.share(s.blocks[:0], s.hashes[:hit])
	s.computed, s.stored = hit*e.profile.BlockSize, hit
	s.running = true
	e.running = append(e.running, s)
	if s.Scheduled >= 0 {
		return // it was preempted before: vLLM does not count its lookup here
	}
	s.Scheduled, s.CachedTokens = t, s.computed
	e.stats.Queries += int64(s.PromptTokens)
	e.stats.Hits += int64(s.computed)
	w.admitted++
}

// grow allocates blocks for n more tokens; false if there are too few free blocks.
func (e *Engine) grow(s *seq, n int) bool {
	size := e.profile.BlockSize
	need := (s.computed+n+size-1)/size - len(s.blocks)
	if need > e.pool.free {
		return false
	}
	s.blocks = e.pool.take(s.blocks, need)
	return true
}

// schedule puts n tokens of s into the step and stores the blocks they fill in the cache at once, so that a request of
// the same step can already share them.
func (e *Engine) schedule(s *seq, n int, st *step) {
	emits := s.computed+n == s.total()
	if n == 1 && emits && s.total() > s.PromptTokens {
		st.work.addDecode(s.computed + 1)
	} else {
		st.work.addPrefill(n, s.computed)
		e.stats.PrefillComputed += int64(n)
	}
	st.shares = append(st.shares, share{s, n, emits})
	full := min((s.computed+n)/e.profile.BlockSize, len(s.hashes))
	for ; s.stored < full; s.stored++ {
		e.pool.store(s.blocks[s.stored], s.hashes[s.stored])
	}
	s.computed += n
	if emits {
		s.pending++
		st.work.sequences++
	}
}

// preempt frees the blocks of the request admitted last and puts it at the head of the waiting queue. Its token of the
// executing step, if any, is still generated; no step is scheduled for it before that.
func (e *Engine) preempt(t int64, s *seq) {
	e.pool.release(s.blocks)
	s.blocks, s.computed, s.stored, s.running = s.blocks[:0], 0, 0, false
	e.running[len(e.running)-1] = nil
	e.running = e.running[:len(e.running)-1]
	e.waiting.pushFront(s)
	s.Preemptions++
	e.stats.Preemptions++
	e.events = append(e.events, Event{Preempted, t, &s.Record})
}

// finishStep counts the tokens of the executed step, and ends the requests that have all their tokens.
func (e *Engine) finishStep(t int64) {
	done := e.steps[0]
	e.pipeline--
	e.steps[0], e.steps[e.pipeline] = e.steps[e.pipeline], done
	ended := 0
	for _, sh := range done.shares {
		s := sh.seq
		if s.gone {
			continue
		}
		s.ComputedTokens += sh.tokens
		if sh.emits {
			s.pending--
			e.emit(t, s)
		}
		if s.Generated < s.max {
			continue
		}
		s.Final, s.gone = t, true
		ended++
		if s.running {
			e.pool.release(s.blocks)
		} else {
			e.waiting.remove(s) // preempted while its last token was computed
		}
		s.blocks = nil
		delete(e.byID, s.ID)
		e.stats.Finished++
		e.events = append(e.events, Event{Finished, t, &s.Record})
	}
	if ended > 0 {
		e.running = slices.DeleteFunc(e.running, func(s *seq) bool { return s.gone })
	}
	clear(e.steps[e.pipeline].shares)
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
