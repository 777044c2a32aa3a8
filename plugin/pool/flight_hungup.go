package pool

import "warmroute/plugin/queue"

// A client may hang up before its first token. Its server ends the request, and keeps what it has computed of the prompt: the next turn, or the same
// prompt again, finds that. A server caches blocks when it begins to compute them, a step of them at once, and ends no step for one that has
// left (vLLM's Scheduler.schedule and finish_requests). It does not begin before it has the prompt, though: a client that hangs up at once has cost it nothing, and
// may not fill what is believed of its cache.

// atOnce is how many times as much as there was time for may have been begun.
const atOnce = 4

// begunBy is how many leading blocks of a prompt were computed or begun by now, of which no token has come: those held before, and what there was time
// for once all that waited before it was computed, and a step more. Where others send there unseen, it is not known how much that was, nor when one
// began that waited for memory: a client could fill what is believed of a full cache with prompts of which nothing is computed.
func (p *Pool) begunBy(f *Flight, now int64) (blocks int) {
	if !f.exact || f.fetched || f.crowded || p.Company() > 0 {
		return f.Matched
	}
	took := int64(p.Overhead(f.endpoint) * 1e9) // it has to come there first
	time := p.timeFor(f, now-took) - f.ahead
	tokens := min(atOnce*time, time+step)
	held := f.Chain.Covered(f.Matched)
	for blocks = f.Matched; blocks < f.Total && float64(f.Chain.Covered(blocks+1)-held) <= tokens*f.perToken; {
		blocks++
	}
	return blocks
}

// hadTime says whether the prompt has come as a whole, and there was time from then on, until ns, to compute so many tokens. One whose
// client hangs up at once has cost its endpoint nothing.
func (p *Pool) hadTime(f *Flight, until int64, tokens float64) bool {
	return f.exact && p.timeFor(f, until) >= tokens
}

// timeFor is how many tokens there was time for since the end of the prompt came, until ns.
func (p *Pool) timeFor(f *Flight, until int64) float64 {
	return queue.Computed(until-f.begun-f.late, p.PerToken(f.endpoint))
}
