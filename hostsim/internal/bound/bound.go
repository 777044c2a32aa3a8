// Package bound computes how much of a trace's prompts any caching could save, so that a policy is compared with
// what is possible and not only with other policies.
//
// The figures are shares of all prompt tokens, in the order of the trace's arrival times, and need a trace of block ids: what a real body
// shares is not known until it is tokenized. What the trace knows of answers (trace.Trace.Kept) is kept for later prompts, and is
// never found itself.
package bound

import (
	"errors"
	"fmt"

	"warmroute/hostsim/internal/trace"
)

// Infinite is the share of prompt tokens that one cache that never evicts would hold: the leading blocks of
// each prompt that an earlier prompt had, including a last partial block if it is the same. No fleet of any size
// or policy does better. Errors: the trace has no block ids.
func Infinite(t *trace.Trace) (float64, error) {
	if err := check(t, 1); err != nil {
		return 0, err
	}
	seen := make([]bool, t.IDs)
	hits, kept := int64(0), t.Kept()
	for i := range t.Requests {
		leading, hit := true, 0
		for _, s := range kept.Requests[i].Blocks {
			for id := s.First; id < s.First+s.N; id++ {
				if leading = leading && seen[id]; leading {
					hit++
				}
				seen[id] = true
			}
		}
		hits += int64(min(hit*t.BlockSize, t.Requests[i].InputTokens)) // an answer that comes again is generated again
	}
	return float64(hits) / float64(prompts(t)), nil
}

// Pooled is an upper bound of the share of prompt tokens that a fleet can find cached, whatever it routes where and
// evicts when. The fleet's capacity is given in KV tokens in all (replicas × tokens each).
//
// It is Belady's MIN (IBM Systems Journal 5(2), 1966) on one cache of that size, which knows the future: it keeps what
// is used again soonest. MIN bounds any fleet of that capacity: each hit needs its tokens to stay somewhere from the
// last use to this one, and MIN keeps the largest number of such stays that fit. No fleet reaches it, because it
// holds nothing twice, takes a prompt's blocks from several replicas at once, spends no memory on running requests or
// answers, and none on prompts that are not used again. Keeping single blocks gains nothing over whole prefixes, since
// a block is never needed sooner than the blocks before it.
//
// The bound is loose if much of a trace is never used again; PooledLRU is what eviction without foresight gives.
//
// Errors: those of Infinite; a capacity below 1.
func Pooled(t *trace.Trace, tokens int) (float64, error) {
	if err := check(t, tokens); err != nil {
		return 0, err
	}
	p := partition(t)
	next := p.nextUses()
	c := newCache(len(p.size), tokens)
	hits, use := int64(0), 0
	for i := range t.Requests {
		left := int32(t.Requests[i].InputTokens)
		for _, piece := range p.uses[p.starts[i]:p.starts[i+1]] {
			if use < p.answers[i] {
				hits += int64(min(c.held[piece], left))
				left -= p.size[piece]
			}
			c.put(piece, p.size[piece], next[use])
			use++
		}
		c.evict()
	}
	return float64(hits) / float64(prompts(t)), nil
}

// PooledLRU is the share of prompt tokens that one replica with that capacity would find, evicting as vLLM does: the
// least recently used prompt first, and the end of a prompt first. It is not a bound, but what a fleet would reach
// if routing lost nothing. A policy can beat it by keeping some prompts apart from others.
//
// Errors: those of Pooled.
func PooledLRU(t *trace.Trace, tokens int) (float64, error) {
	if err := check(t, tokens); err != nil {
		return 0, err
	}
	p := partition(t)
	c := newRecent(len(p.size), tokens)
	hits := int64(0)
	for i := range t.Requests {
		left := int32(t.Requests[i].InputTokens)
		for _, piece := range p.uses[p.starts[i]:p.answers[i]] {
			hits += int64(min(c.held[piece], left))
			if left -= p.size[piece]; c.held[piece] < p.size[piece] {
				break
			}
		}
		c.use(p.uses[p.starts[i]:p.starts[i+1]], p.size)
	}
	return float64(hits) / float64(prompts(t)), nil
}

// prompts is how many tokens the prompts have.
func prompts(t *trace.Trace) (n int64) {
	for i := range t.Requests {
		n += int64(t.Requests[i].InputTokens)
	}
	return n
}

func check(t *trace.Trace, tokens int) error {
	if t.BlockSize == 0 {
		return errors.New("this trace has bodies, not block ids: no bound is known for it")
	}
	if tokens < 1 {
		return fmt.Errorf("capacity: %d tokens is below 1", tokens)
	}
	return nil
}
