// Package bound says how much of a trace's prompts any caching could save, so that a policy is measured
// against what is possible and not only against other policies.
//
// The figures are shares of all prompt tokens. They are for prompts alone, in the order of the trace's
// arrival times, and for block-id traces: a real body says nothing of what it shares until it is tokenized.
package bound

import (
	"errors"
	"fmt"

	"warmroute/hostsim/internal/trace"
)

// Infinite is the share of prompt tokens that one cache that never evicts would hold: the leading blocks of
// each prompt that an earlier one had, a last partial block included where it is the same. No fleet of any
// size or policy does better. Errors: the trace has no block ids.
func Infinite(t *trace.Trace) (float64, error) {
	if err := check(t, 1); err != nil {
		return 0, err
	}
	seen := make([]bool, t.IDs)
	var total, hits int64
	for i := range t.Requests {
		r := &t.Requests[i]
		total += int64(r.InputTokens)
		leading, hit := true, 0
		for _, s := range r.Blocks {
			for id := s.First; id < s.First+s.N; id++ {
				if leading = leading && seen[id]; leading {
					hit++
				}
				seen[id] = true
			}
		}
		hits += int64(min(hit*t.BlockSize, r.InputTokens))
	}
	return float64(hits) / float64(total), nil
}

// Pooled is an upper bound of the share of prompt tokens that a fleet with room for so many tokens of KV in
// all (replicas × tokens each) can find cached, whatever it routes where and evicts when.
//
// It is Belady's MIN (IBM Systems Journal 5(2), 1966) on one cache of that size, which knows the future: what
// is used again soonest is kept. It bounds any fleet of that capacity, since each hit of the fleet needs its
// tokens to stay somewhere from an earlier use to this one, hence through the time since the last use, and
// MIN keeps the most such stays that fit. No fleet reaches it: it holds nothing twice, a prompt's blocks may
// come from several replicas at once, nothing is spent on running requests or on answers, and a prompt that
// is not used again takes no room at all. Keeping blocks by themselves gains nothing over whole prefixes,
// since a block is never needed sooner than what leads to it.
//
// It is loose where much of a trace is never used again: see PooledLRU for what eviction without foresight gives.
//
// Errors: as Infinite's; a capacity below 1.
func Pooled(t *trace.Trace, tokens int) (float64, error) {
	if err := check(t, tokens); err != nil {
		return 0, err
	}
	p := partition(t)
	next := p.nextUses()
	c := newCache(len(p.size), tokens)
	var total, hits, use int64
	for i := range t.Requests {
		total += int64(t.Requests[i].InputTokens)
		for _, piece := range p.uses[p.starts[i]:p.starts[i+1]] {
			hits += int64(c.held[piece])
			c.put(piece, p.size[piece], next[use])
			use++
		}
		c.evict()
	}
	return float64(hits) / float64(total), nil
}

// PooledLRU is the share of prompt tokens that one replica with all of that room would find, evicting as vLLM
// does: the least recently used first, and of a prompt its end first. It is no bound, but what a fleet would
// reach whose routing lost nothing; a policy that beats it gains from what it keeps apart.
//
// Errors: as Pooled's.
func PooledLRU(t *trace.Trace, tokens int) (float64, error) {
	if err := check(t, tokens); err != nil {
		return 0, err
	}
	p := partition(t)
	c := newRecent(len(p.size), tokens)
	var total, hits int64
	for i := range t.Requests {
		total += int64(t.Requests[i].InputTokens)
		prompt := p.uses[p.starts[i]:p.starts[i+1]]
		for _, piece := range prompt {
			hits += int64(c.held[piece])
			if c.held[piece] < p.size[piece] {
				break
			}
		}
		c.use(prompt, p.size)
	}
	return float64(hits) / float64(total), nil
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
