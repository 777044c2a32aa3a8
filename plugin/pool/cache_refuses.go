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
