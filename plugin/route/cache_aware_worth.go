package route

import "warmroute/plugin/decision"

// A beginning that is computed at one more endpoint serves prompts that come later. These numbers are judged (docs/rule.md).
const (
	// often is how many prompts a minute that begin so take half of its price away: they come for as long as it is cached.
	often = 5

	// burst is how much of its saving each prompt has that begins so within some ten seconds, while queues are as they are now. Of a burst
	// nobody knows how long it lasts: as many are taken to come again as came (Gott, see keepTogether).
	burst = 0.3

	// outlasts is how many times a cache is evicted whole while such a beginning stays there: it takes its room from others as often.
	outlasts = 2
)

// toCompute is u: the prompt's tokens that an endpoint does not hold which holds that many blocks, less where the beginning that
// others hold is worth having there, too, and more where they are deep in a long prompt. requests is how many come in a minute.
//
// What is computed evicts as much, and of that as large a part is computed again as of all that is computed lately was evicted before: evicted
// (evictedAgain). That part of the price no later prompt takes away. Else copies of beginnings that are all asked for often evict each other, where
// memory does not hold all of them.
func (v *view) toCompute(depth int32, requests, evicted float64, d *decision.Decision) float64 {
	at := int(depth)
	tokens := d.Uncached(at)
	for k := range v.held {
		h := &v.held[k]
		if int(h.Blocks) <= at {
			break
		}
		below := at
		if k+1 < len(v.held) {
			below = max(at, int(v.held[k+1].Blocks))
		}
		again := h.Share * requests / float64(h.Holders+1) / often
		soon := burst * h.Lately * max(requests/max(v.sent, 1), 1) / float64(h.Holders+1) // of all workers and gateways
		tokens -= (d.Uncached(below) - d.Uncached(int(h.Blocks))) * (1 - evicted) * (1 - 1/(1+float64(again*again)+soon))
	}
	return v.pool.Deep(tokens, max(d.Tokens-tokens, 0))
}

// evictedAgain is how much is computed again, ÷ what is computed of a beginning that stays, 0 to 1; typical is the tokens of a typical prompt.
func (v *view) evictedAgain(typical float64) float64 {
	return min(outlasts*v.pool.Again.Share(typical), 1)
}
