package vllm

import "slices"

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
		for range sh.emits {
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
