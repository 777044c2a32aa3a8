package traffic

import (
	"math"

	"warmroute/plugin/recent"
)

// Thrash is what requests of a worker lost at an endpoint because the conversations that live there want more memory than it has. Each
// weighs e^(−age ÷ thrashSpan).
type Thrash struct {
	Times  float64 // requests that lost something
	Tokens float64 // prompt tokens that were computed again, and those that could have been while a prompt waited for memory; less the price of those that left, below 0 where others lost what it left for
}

// Plus is what both lost.
func (t Thrash) Plus(other Thrash) Thrash {
	return Thrash{t.Times + other.Times, t.Tokens + other.Tokens}
}

// Thrashing is that of this worker, as of at, and of all other workers and gateways.
type Thrashing struct {
	own, others Thrash
	at          int64 // ns
}

// thrashSpan is how long conversations are taken to go on as they do, in nanoseconds: some turns of each.
const thrashSpan = 300e9

// fewLosses is how many requests that lost say nothing of the next. It is judged (docs/rule.md): with 1 conversations leave that lost
// something once.
const fewLosses = 2

// Own is what this worker lost. What is left after ten times the span is nothing: it would be told for hours, of every endpoint that ever
// lost something.
func (t *Thrashing) Own(now int64) Thrash {
	faded := recent.Since(t.at, now, thrashSpan)
	if faded < 1./(1<<14) {
		return Thrash{}
	}
	return Thrash{t.own.Times * faded, t.own.Tokens * faded}
}

// Note records that a request lost so many tokens, or, below 0, that a conversation has left for that price, at most
// for all that was lost.
func (t *Thrashing) Note(tokens float64, now int64) {
	own := t.Own(now)
	if tokens > 0 {
		own.Times++
	}
	own.Tokens += max(tokens, -max(own.Tokens+t.others.Tokens, 0))
	t.own, t.at = own, now
}

// SetOthers sets what others have lost.
func (t *Thrashing) SetOthers(of Thrash) { t.others = of }

// All is the tokens that requests of all workers, and of all gateways that share news, have lost lately; and what is sure
// of it, less what chance can do: a few requests that lost say little of the next.
func (t *Thrashing) All(now int64) (tokens, sure float64) {
	all := t.Own(now).Plus(t.others)
	tokens = max(all.Tokens, 0)
	if all.Times <= fewLosses {
		return tokens, 0
	}
	return tokens, tokens * (1 - math.Sqrt(fewLosses/all.Times))
}
