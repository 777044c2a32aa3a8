package loads

import (
	"fmt"
	"math/rand/v2"

	"warmroute/hostsim/internal/figure"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
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

// Further loads that start from other shapes: agents that send long texts again and again, and chats that no two share.
var (
	Agents    = Made{Requests: 2000, Reuse: 0.9, Prefixes: 4, PrefixTokens: 12000, Turns: 25, TurnTokens: 1500, OutputTokens: 150, Think: 8, Load: 3}
	Strangers = Made{Requests: 3000, Reuse: 0, Prefixes: 1, PrefixTokens: 2000, Turns: 1, TurnTokens: 500, OutputTokens: 150, Think: 10, Load: 0.7}
)

// String describes the load in words.
func (m Made) String() string {
	return fmt.Sprintf("%d requests; %s of the sessions begin with one of %d shared prefixes, the others with one of their own, of %d tokens; %g turns a session on average, each "+
		"%d tokens longer; answers of %d tokens; %g s between turns; load %g", m.Requests, figure.Percent(m.Reuse), m.Prefixes, m.PrefixTokens, m.Turns, m.TurnTokens, m.OutputTokens, m.Think, m.Load)
}

// Trace draws the load for replicas of a profile. Its blocks are the profile's.
func (m Made) Trace(seed uint64, replicas int, p vllm.Profile) *trace.Trace {
	d := &madeTrace{Made: m, rng: rand.New(rand.NewPCG(seed, 3)), profile: p, t: &trace.Trace{BlockSize: p.BlockSize}}
	d.share()
	for len(d.t.Requests) < m.Requests {
		d.session()
	}
	d.t.IDs = int(d.next)
	// Sessions start evenly over the time in which the fleet would be as busy as asked.
	span := d.work / m.Load / float64(replicas)
	starts := make([]int64, d.t.Sessions)
	for i := range starts {
		starts[i] = int64(d.rng.Float64() * span)
	}
	d.t.Shift(func(session int) int64 { return starts[session] })
	return d.t
}

// madeTrace is a load while it is drawn.
type madeTrace struct {
	Made
	rng     *rand.Rand
	profile vllm.Profile
	t       *trace.Trace
	next    uint32       // block id that no prompt has yet
	shared  []trace.Span // prefixes, the most popular first
	weights []float64    // of each, their popularity
	total   float64      // of all weights
	work    float64      // ns of prefill
}

// take returns so many new blocks.
func (d *madeTrace) take(blocks int) trace.Span {
	s := trace.Span{First: d.next, N: uint32(blocks)}
	d.next += uint32(blocks)
	return s
}

func (d *madeTrace) prefixBlocks() int { return max(d.PrefixTokens/d.profile.BlockSize, 1) }

// share makes the shared prefixes.
func (d *madeTrace) share() {
	for i := range d.Prefixes {
		d.shared = append(d.shared, d.take(d.prefixBlocks()))
		d.weights = append(d.weights, 1/float64(i+1))
		d.total += d.weights[i]
	}
}

// prefix draws what a session begins with.
func (d *madeTrace) prefix() trace.Span {
	if d.rng.Float64() >= d.Reuse {
		return d.take(d.prefixBlocks())
	}
	at, k := d.rng.Float64()*d.total, 0
	for k < d.Prefixes-1 && at > d.weights[k] {
		at -= d.weights[k]
		k++
	}
	return d.shared[k]
}

// session draws the turns of one session, which begins at 0 s.
func (d *madeTrace) session() {
	t, size := d.t, d.profile.BlockSize
	blocks := trace.Blocks{d.prefix()}
	after, at := -1, 0.0
	for turn := 0; len(t.Requests) < d.Requests; turn++ {
		if turn > 0 && d.rng.Float64() < 1/d.Turns {
			break
		}
		grown := append(trace.Blocks{}, blocks...)
		blocks = append(grown, d.take(max(Spread(d.rng, float64(d.TurnTokens))/size, 1)))
		tokens := blocks.Len() * size
		think := d.rng.ExpFloat64() * d.Think
		if turn > 0 {
			at += think
		}
		t.Requests = append(t.Requests, trace.Request{
			At: int64(at * 1e9), Session: t.Sessions, After: after, Think: int64(think * 1e9), Blocks: blocks,
			InputTokens: tokens, OutputTokens: Spread(d.rng, float64(d.OutputTokens)),
		})
		after = len(t.Requests) - 1
		d.work += float64(d.profile.PrefillTime(0, tokens))
	}
	t.Sessions++
}

// Of is m as a Load.
func Of(m Made) Load {
	return func(d *Drawing) (*trace.Trace, error) { return m.Trace(d.Seed, d.Replicas, d.Profile), nil }
}

// Busier is a load at another share of the fleet's time, with so many requests.
func (m Made) Busier(load float64, requests int) Made {
	m.Load, m.Requests = load, requests
	return m
}
