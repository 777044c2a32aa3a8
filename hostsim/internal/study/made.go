package study

import (
	"fmt"
	"math/rand/v2"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/trace"
)

// Made is a load of our own: sessions that share long beginnings, drawn by a seed.
type Made struct {
	Requests     int
	Reuse        float64 // share of sessions that begin with one of the shared prefixes; the others have one of their own
	Prefixes     int     // shared ones, as popular as 1, 1/2, 1/3, … (Zipf)
	PrefixTokens int     // of each session's beginning, shared or not
	Turns        float64 // mean turns of a session, geometric, ≥ 1; each sends what came before again
	TurnTokens   int     // mean tokens that a turn adds
	OutputTokens int     // mean tokens of an answer
	Think        float64 // mean s between turns, exponential
	Load         float64 // share of the fleet's time that computing every prompt whole would take
}

// Usual is the load that the studies start from.
var Usual = Made{
	Requests: 3000, Reuse: 0.8, Prefixes: 32, PrefixTokens: 2000, Turns: 3, TurnTokens: 200, OutputTokens: 150, Think: 10, Load: 0.7,
}

// String describes the load in words.
func (m Made) String() string {
	return fmt.Sprintf("%d requests; %s of the sessions begin with one of %d shared prefixes, the others with one of their own, of %d tokens; %g turns a session on average, each "+
		"%d tokens longer; answers of %d tokens; %g s between turns; load %g", m.Requests, Percent(m.Reuse), m.Prefixes, m.PrefixTokens, m.Turns, m.TurnTokens, m.OutputTokens, m.Think, m.Load)
}

// Trace draws the load for replicas of a profile. Its blocks are the profile's.
func (m Made) Trace(seed uint64, replicas int, p fleet.Profile) *trace.Trace {
	rng := rand.New(rand.NewPCG(seed, 3))
	t := &trace.Trace{BlockSize: p.BlockSize}
	size := uint32(p.BlockSize)
	next := uint32(0)
	take := func(blocks int) trace.Span {
		s := trace.Span{First: next, N: uint32(blocks)}
		next += uint32(blocks)
		return s
	}
	prefixBlocks := max(m.PrefixTokens/p.BlockSize, 1)
	weights, total := make([]float64, m.Prefixes), 0.0
	shared := make([]trace.Span, m.Prefixes)
	for i := range shared {
		shared[i] = take(prefixBlocks)
		weights[i] = 1 / float64(i+1)
		total += weights[i]
	}
	var work float64 // ns of prefill
	for len(t.Requests) < m.Requests {
		var prefix trace.Span
		if rng.Float64() < m.Reuse {
			at, k := rng.Float64()*total, 0
			for k < m.Prefixes-1 && at > weights[k] {
				at -= weights[k]
				k++
			}
			prefix = shared[k]
		} else {
			prefix = take(prefixBlocks)
		}
		blocks := trace.Blocks{prefix}
		after, at := -1, 0.0
		for turn := 0; len(t.Requests) < m.Requests; turn++ {
			if turn > 0 && rng.Float64() < 1/m.Turns {
				break
			}
			grown := append(trace.Blocks{}, blocks...)
			blocks = append(grown, take(max(spread(rng, float64(m.TurnTokens))/int(size), 1)))
			tokens := blocks.Len() * int(size)
			think := rng.ExpFloat64() * m.Think
			if turn > 0 {
				at += think
			}
			t.Requests = append(t.Requests, trace.Request{
				At: int64(at * 1e9), Session: t.Sessions, After: after, Think: int64(think * 1e9), Blocks: blocks,
				InputTokens: tokens, OutputTokens: spread(rng, float64(m.OutputTokens)),
			})
			after = len(t.Requests) - 1
			work += float64(p.PrefillTime(0, tokens))
		}
		t.Sessions++
	}
	t.IDs = int(next)
	// Sessions start evenly over the time in which the fleet would be as busy as asked.
	span := work / m.Load / float64(replicas)
	starts := make([]int64, t.Sessions)
	for i := range starts {
		starts[i] = int64(rng.Float64() * span)
	}
	t.Shift(func(session int) int64 { return starts[session] })
	return t
}
