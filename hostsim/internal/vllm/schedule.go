package vllm

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
	seq     *seq
	tokens  int
	emits   int // tokens that are generated at its end
	context int // of its first token
	decodes bool
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
	e.stepBegin, e.stepEnd, e.gpuEnd = t, t, t+took
	e.setEnd()
	e.stats.Steps++
}

// setEnd sets the end of the executing step by what its GPU takes and by what launching it takes.
func (e *Engine) setEnd() {
	end := e.stepBegin + e.profile.launched(e.steps[0].work, e.gpuEnd-e.stepBegin)
	e.stats.Busy += end - e.stepEnd
	e.stepEnd = end
}

// scheduleStep schedules a step at time t: running requests, then waiting ones. It reports whether there was work.
func (e *Engine) scheduleStep(t int64) bool {
	if len(e.loading) > 0 {
		e.takeLoaded(t)
	}
	if len(e.running) == 0 && e.waiting.len()+len(e.holding) == 0 {
		return false
	}
	st := &e.steps[e.pipeline]
	st.shares, st.work = st.shares[:0], work{}
	left, preempted := e.scheduleRunning(t, e.profile.MaxNumBatchedTokens, st)
	if e.adapters != nil {
		e.adapters.begin(st.shares)
	}
	if !preempted {
		e.scheduleWaiting(t, left, st)
	}
	if e.adapters != nil {
		e.adapters.use(st, &e.stats)
	}
	if len(st.shares) == 0 && e.pipeline > 0 {
		return false // every request waits for the executing step
	}
	if len(st.shares) == 0 && len(e.loading) > 0 {
		e.idleStart = e.loading[0].ready // or for KV from host memory
		return false
	}
	e.pipeline++
	return true
}

// scheduleRunning gives the running requests their tokens, in order of admission. When blocks run out it preempts
// requests from the end of that order, or those of the highest priority value. It returns the budget left and whether a
// request was preempted.
func (e *Engine) scheduleRunning(t int64, budget int, st *step) (left int, preempted bool) {
	for i := 0; i < len(e.running); i++ {
		s := e.running[i]
		n := e.aligned(s, min(e.chunk(s.total()-s.computed), budget))
		if n == 0 || s.Generated+s.pending == s.max {
			continue
		}
		drafts, accepted := 0, 0
		if e.profile.SpeculativeTokens > 0 && n == 1 && s.computed+1 == s.total() && s.total() > s.PromptTokens {
			drafts, accepted = e.draft(s, budget-1)
		}
		for !e.grow(s, n+drafts) {
			preempted = true
			victim := e.victim()
			if victim != s && e.profile.PriorityScheduling == 1 {
				budget += st.drop(victim)
				if slices.Index(e.running, victim) < i {
					i--
				}
			}
			e.preempt(t, victim)
			if victim == s {
				return budget, true
			}
		}
		e.schedule(s, n, accepted, st)
		budget -= n + drafts
	}
	return budget, preempted
}

// chunk is how many of n tokens one step may compute.
func (e *Engine) chunk(n int) int {
	if limit := e.profile.LongPrefillTokens; limit > 0 {
		return min(n, limit)
	}
	return n
}

// aligned is how many of n tokens a step computes of s where states are kept: the step ends at the end of a block if it can, and at that of
// the last whole one rather than behind it.
func (e *Engine) aligned(s *seq, n int) int {
	if e.profile.AlignedStates == 0 {
		return n
	}
	size := e.profile.BlockSize
	last, after := s.total()-s.total()%size, s.computed+n
	switch {
	case s.computed >= last:
		return n
	case after >= last:
		return last - s.computed
	case n < size:
		return n // its state is not kept
	}
	return n - after%size
}

// victim is the request to preempt: the last admitted, or with priorities the one of the highest value that came last.
func (e *Engine) victim() *seq {
	if e.profile.PriorityScheduling == 1 {
		return slices.MaxFunc(e.running, before)
	}
	return e.running[len(e.running)-1]
}

// drop takes a preempted request out of the step that is being scheduled, and returns the tokens it had there.
func (st *step) drop(s *seq) int {
	at := slices.IndexFunc(st.shares, func(sh share) bool { return sh.seq == s })
	if at < 0 {
		return 0
	}
	tokens := st.shares[at].tokens
	s.pending -= st.shares[at].emits
	st.shares = slices.Delete(st.shares, at, at+1)
	st.work = work{}
	for _, sh := range st.shares {
		st.work.add(sh)
	}
	return tokens
}

// add counts one request's part.
func (w *work) add(sh share) {
	if sh.decodes {
		w.addDecode(sh.context + 1)
	} else {
		w.addPrefill(sh.tokens, sh.context)
	}
	if sh.emits > 0 {
		w.sequences++
	}
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

// schedule puts n tokens of s into the step, of which accepted drafts follow, and stores the blocks they fill in the cache
// at once, so that a request of the same step can already share them.
func (e *Engine) schedule(s *seq, n, accepted int, st *step) {
	sh := share{seq: s, tokens: n + accepted, context: s.computed}
	if s.computed+n == s.total() {
		sh.emits = 1 + accepted
	}
	sh.decodes = n == 1 && sh.emits > 0 && s.total() > s.PromptTokens
	if !sh.decodes {
		e.stats.PrefillComputed += int64(n)
	}
	st.work.add(sh)
	st.shares = append(st.shares, sh)
	s.computed += n + accepted
	full := min(s.computed/e.profile.BlockSize, len(s.hashes))
	for ; s.stored < full; s.stored++ {
		e.pool.store(s.blocks[s.stored], s.hashes[s.stored])
		if e.host != nil {
			e.host.store(s.hashes[s.stored])
		}
		if e.profile.AlignedStates == 1 && (s.stored+1)*e.profile.BlockSize == s.computed {
			e.pool.keepState(s.blocks[s.stored])
		}
	}
	s.pending += sh.emits
}

// preempt frees the blocks of a running request and puts it at the head of the waiting queue. Its token of the
// executing step, if any, is still generated; no step is scheduled for it before that.
func (e *Engine) preempt(t int64, s *seq) {
	e.pool.release(s.blocks)
	s.blocks, s.computed, s.stored, s.running = s.blocks[:0], 0, 0, false
	e.running = remove(e.running, s)
	e.waiting.pushFront(s)
	s.Preemptions++
	e.stats.Preemptions++
	e.events = append(e.events, Event{Preempted, t, &s.Record})
}
