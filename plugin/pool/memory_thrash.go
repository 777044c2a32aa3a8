package pool

import "math"

// thrash is what requests lost at an endpoint because the conversations that live there want more memory than it has: prompt tokens
// that were computed again, and those that could have been while a prompt waited for memory. Each weighs e^(−age ÷ thrashSpan).
type thrash struct {
	times, tokens float64
	at            int64 // ns
}

// thrashSpan is how long conversations are taken to go on as they do, in nanoseconds: some turns of each.
const thrashSpan = 300e9

// fewLosses is how many requests that lost say nothing of the next. It is judged (docs/rule.md): with 1 conversations leave that lost
// something once.
const fewLosses = 2

func (t *thrash) faded(now int64) float64 { return fade(float64(now-t.at) / thrashSpan) }

// NoteThrash records that a request lost so many tokens at endpoint i, or, below 0, that a conversation has left for that price.
func (p *Pool) NoteThrash(i int, tokens float64, now int64) {
	t := &p.ends[i].thrash
	faded := t.faded(now)
	t.times, t.tokens, t.at = t.times*faded, max(t.tokens*faded+tokens, 0), now
	if tokens > 0 {
		t.times++
	}
}

// Thrash is the tokens that requests of all workers have lost at endpoint i lately, where this worker has sent that
// share of theirs; and what is sure of it, less what chance can do: a few requests that lost say little of the next.
func (p *Pool) Thrash(i int, share float64, now int64) (tokens, sure float64) {
	t := &p.ends[i].thrash
	faded := t.faded(now)
	times := t.times * faded
	tokens = t.tokens * faded / share
	if times <= fewLosses {
		return tokens, 0
	}
	return tokens, tokens * (1 - math.Sqrt(fewLosses/times))
}
