package peers

import (
	"math/rand/v2"
	"slices"

	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
)

const aboutLLMDSticky = "llm-d's router as its guide \"Optimized Baseline\" sets it up since 2026: of the replicas that match at least .8 of the prompt, or of all if none does, the one with the fewest tokens in flight: uncached tokens of prompts without a first token, this one's included. " +
	"Where the tokens in flight of the best match would take 18 s longer than those of the best other replica, all are candidates. At most 131,072 tokens are matched, of what was sent, as by llmd. Read: the guide's values and the READMEs of the plugins prefix-cache-affinity-filter (affinityThreshold .8, maxTTFTPenaltyMs 18000), " +
	"token-load-scorer, inflight-load-producer and approx-prefix-cache-producer, of 2026. Its peakPrefillThroughput is measured, as its guide advises: a prompt that fills one step of an idle replica. The profile for decoding (active-request-scorer) is not replayed."

// llmdSticky filters by match, and takes the least load.
type llmdSticky struct {
	llmdSent
	rng     *rand.Rand
	peak    float64 // tokens a second
	tokens  []int   // in flight, uncached, by replica
	costs   []int
	matches []bool
}

const (
	stickyShare   = 0.8
	stickyPenalty = 18.0 // s
	stickyPeak    = 15_928.0
)

func newLLMDSticky(rng *rand.Rand) policy {
	return &llmdSticky{llmdSent: newLLMDSent(), rng: rng, peak: stickyPeak}
}

func (l *llmdSticky) join(address string) {
	l.llmdSent.join(address)
	l.tokens = append(l.tokens, 0)
}

func (l *llmdSticky) leave(replica int) {
	l.llmdSent.leave(replica)
	l.tokens = slices.Delete(l.tokens, replica, replica+1)
}

func (l *llmdSticky) scraped(_ int, s vllm.Stats) { l.llmdSent.scraped(s) }

func (l *llmdSticky) calibrate(rate float64) { l.peak = rate }

func (l *llmdSticky) pick(r *request) (int, string) {
	blocks, own := l.read(r.prompt), r.tokens
	l.costs, l.matches = l.costs[:0], l.matches[:0]
	sticky, other := -1, -1 // the fewest tokens in flight
	for i, n := range l.tokens {
		matched := l.matched(i)
		l.costs = append(l.costs, n+max(own-matched*l.size/trace.BytesPerToken, 0))
		matches := blocks > 0 && float64(matched) >= stickyShare*float64(blocks)
		l.matches = append(l.matches, matches)
		if matches {
			sticky = fewer(sticky, n)
		} else {
			other = fewer(other, n)
		}
	}
	reason := "by_load"
	switch {
	case sticky < 0:
	case other >= 0 && float64(sticky-other)/l.peak > stickyPenalty:
		reason = "relieved"
	default:
		reason = "match"
	}
	to := leastOf(l.costs, l.rng, func(i int) bool { return reason != "match" || l.matches[i] })
	r.charged = l.costs[to] - l.tokens[to]
	l.tokens[to] += r.charged
	l.send(to)
	return to, reason
}

// fewer is the lesser of two counts, of which the first may be missing: -1.
func fewer(a, b int) int {
	if a < 0 {
		return b
	}
	return min(a, b)
}

func (l *llmdSticky) first(replica int, r *request) {
	l.tokens[replica] -= r.charged
	r.charged = 0
}

func (l *llmdSticky) end(replica int, r *request) { l.first(replica, r) }
