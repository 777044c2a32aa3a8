package vllm

import (
	"math"
	"slices"
)

// frontEnd is the server's process before the scheduler: HTTP, the template, the tokenizer. It works on all requests that it has at once, each
// at the same share of its speed (processor sharing; vLLM's API server is one event loop), beside the engine's steps. Requests that come
// together thus reach the scheduler together.
type frontEnd struct {
	entering []*seq  // in the order in which it is through with them
	done     float64 // ns of work that each request which was there all the time has got
	at       int64   // ns: when that was true
}

// frontEnd is how long the front end works on a request alone, in ns.
func (p *Profile) frontEnd(r *Request) float64 {
	if r.Tokenized {
		return p.Frontend
	}
	return p.Frontend + float64(p.FrontendPerToken*float64(r.PromptTokens))
}

// advance counts the work done until now.
func (f *frontEnd) advance(now int64) {
	if n := len(f.entering); n > 0 {
		f.done += float64(now-f.at) / float64(n)
	} else {
		f.done = 0
	}
	f.at = now
}

// next is when it is through with the first, rounded up.
func (f *frontEnd) next() (int64, bool) {
	if len(f.entering) == 0 {
		return 0, false
	}
	left := max(0, f.entering[0].through-f.done)
	return f.at + int64(math.Ceil(left*float64(len(f.entering)))), true
}

// enter takes a new request at time now: it comes to the scheduler when the front end is through with it.
func (e *Engine) enter(now int64, s *seq, r *Request) {
	work := e.profile.frontEnd(r)
	if work == 0 {
		e.arrive(now, s)
		return
	}
	f := &e.front
	f.advance(now)
	s.through = f.done + work
	at, _ := slices.BinarySearchFunc(f.entering, s, func(a, b *seq) int {
		if a.through <= b.through {
			return -1
		}
		return 1
	})
	f.entering = slices.Insert(f.entering, at, s)
}

// arrive lets a request wait for the scheduler.
func (e *Engine) arrive(now int64, s *seq) {
	if e.pipeline == 0 && e.waiting.len()+len(e.holding) == 0 {
		e.idleStart = now
	}
	s.Entered = now
	e.waiting.push(s)
}

// Next is the next time at which Advance does something: the end of the current step, the start of a step if requests
// wait, the arrival of KV from host memory, or that of a request from the front end. ok is false if the replica is idle.
func (e *Engine) Next() (t int64, ok bool) {
	t, ok = e.nextStep()
	if at, some := e.front.next(); some && (!ok || at < t) {
		return at, true
	}
	return t, ok
}

// nextStep is the end of the current step, the start of a step if requests wait, or the arrival of KV from host memory.
func (e *Engine) nextStep() (t int64, ok bool) {
	switch {
	case e.pipeline > 0:
		return e.stepEnd, true
	case e.waiting.len()+len(e.holding) > 0:
		return e.idleStart, true
	case len(e.loading) > 0:
		return e.loading[0].ready, true
	}
	return 0, false
}

// do does what is due at time t. A step that starts then can contain what arrives then.
func (e *Engine) do(t int64) {
	for {
		at, some := e.front.next()
		if !some || at > t {
			break
		}
		e.front.advance(at)
		e.arrive(at, e.front.entering[0])
		e.front.entering = slices.Delete(e.front.entering, 0, 1)
	}
	if at, ok := e.nextStep(); ok && at <= t {
		e.run(t)
	}
}
