package pool

import "math"

// A server refuses a prompt that is longer than its model's context, and answers 400 at once: the prompt takes no memory and evicts
// nothing. To enter it into the index would evict from it most of what the endpoint holds, for nothing: such prompts are long. So one
// that the endpoint probably refuses is entered when its response has come, which is before its conversation's next turn; where that
// proves that prompts of this length are computed, nothing is lost.

// unsure is how many times as fast as known an endpoint may be.
const unsure = 4

// hasComputed says whether a stream's first token came late enough for its prompt to have been computed: some servers say as the first event
// of a stream, at once, that its prompt is too long.
func (p *Pool) hasComputed(f *Flight) bool {
	return f.first != 0 && p.hadTime(f, f.first, f.uncached/unsure)
}

// refuses says whether f's endpoint probably refuses its prompt: it is longer than any that was computed, and than the endpoint's
// memory or one that was refused. (A server does not start with less memory than the model's longest prompt takes, so that it holds
// no longer one; how much memory that is, is sure for models with one kind of attention only.)
func (p *Pool) refuses(f *Flight) bool {
	limit := math.Inf(1)
	if said := p.ends[f.endpoint].cache.said; said >= 1 && !f.media {
		limit = said * f.perToken
	}
	longest, refused := p.tokens.Limits(f.model)
	if refused > 0 {
		limit = min(limit, float64(refused))
	}
	return f.whole >= limit && f.whole > float64(longest)
}

// Prompts that wait at an endpoint have evicted nothing yet, and their clients may hang up before they do: a few long ones that are sent together
// would leave nothing of what is believed of its cache, though it computed none of them. What has been computed before it comes to those that are
// far behind is not known either. So no more than one part in swamped of a cache is believed to be evicted by what waits; what comes then is
// entered once its first token has come. Where an endpoint's metrics show that as much of its memory is in use, it computes what it is sent, and
// what waits is an overload.
const swamped = 2

// swamps says whether f is that.
func (p *Pool) swamps(f *Flight, now int64) bool {
	if p.Index == nil {
		return false
	}
	if used, all := p.UsedTokens(f.endpoint, now); used > all/swamped {
		return false
	}
	capacity, known := p.Index.Capacity(f.endpoint)
	return known && f.ahead*f.perToken > float64(capacity)/swamped
}
