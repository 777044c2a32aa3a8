package study

import (
	"math/rand/v2"
	"path/filepath"
	"sort"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
)

// drawing is what a case's load is drawn from.
type drawing struct {
	folder   string // of the published traces
	seed     uint64 // 1 is the trace as recorded, where there is one
	replicas int
	profile  vllm.Profile
}

// load draws a case's requests.
type load func(d *drawing) (*trace.Trace, error)

// The published traces, in the folder that the study is given.
const (
	conversationFile = "mooncake_conversation.jsonl.gz"
	syntheticFile    = "mooncake_synthetic.jsonl.gz"
	codingFile       = "claude_code_sessions.delta.jsonl.gz"
)

// recorded is a published trace with its own times. Each seed but the first moves every session by up to 20 s.
func recorded(file string) load {
	return func(d *drawing) (*trace.Trace, error) {
		t, err := trace.Open(filepath.Join(d.folder, file), trace.Options{Model: fleet.DefaultModel})
		if err != nil {
			return nil, err
		}
		return jitter(t, d.seed-1, tuneJitter), nil
	}
}

// codingSessions are so many of the recorded sessions; the seed draws when they start, one in 40 s.
func codingSessions(skip, sessions int) load {
	return func(d *drawing) (*trace.Trace, error) {
		return trace.Open(filepath.Join(d.folder, codingFile), trace.Options{Skip: skip, Limit: sessions, Model: fleet.DefaultModel, Seed: d.seed})
	}
}

// made is a load of our own.
func made(m Made) load {
	return func(d *drawing) (*trace.Trace, error) { return m.Trace(d.seed, d.replicas, d.profile), nil }
}

// hot is requests a second of which a share begins with one prompt of 4,000 tokens and the others with one of their own, each
// followed by about 100 tokens, answered by about so many: what sends all that share a prefix to one replica overloads it.
func hot(requests int, rate, share float64, answer int) load {
	const system, question = 4000, 100.0
	return func(d *drawing) (*trace.Trace, error) {
		rng := rand.New(rand.NewPCG(d.seed, 11))
		b := newBuilder()
		common, at := b.conversation(system), 0.0
		for i := range requests {
			head := common
			if rng.Float64() >= share {
				head = b.conversation(system)
			}
			tail := spread(rng, question)
			blocks := append(b.prompt(head, system), trace.Span{First: b.next, N: uint32((tail + kubeBlock - 1) / kubeBlock)})
			b.next += blocks[len(blocks)-1].N
			b.t.Requests = append(b.t.Requests, trace.Request{
				At: int64(at * 1e9), Session: i, After: -1, Blocks: blocks, InputTokens: system + tail, OutputTokens: spread(rng, float64(answer)),
			})
			at += rng.ExpFloat64() / rate
		}
		return b.done(requests), nil
	}
}

// phase is a span of time in which sessions start at a rate.
type phase struct{ seconds, rate float64 }

// phased is sessions of m that start at each phase's rate, as a Poisson process.
func phased(m Made, phases ...phase) load {
	return func(d *drawing) (*trace.Trace, error) {
		rng := rand.New(rand.NewPCG(d.seed, 12))
		var starts []int64
		from := 0.0
		for _, p := range phases {
			for at := rng.ExpFloat64() / p.rate; at < p.seconds; at += rng.ExpFloat64() / p.rate {
				starts = append(starts, int64((from+at)*1e9))
			}
			from += p.seconds
		}
		t := m.sessions(d, len(starts))
		first := make([]int64, t.Sessions)
		for i := range t.Requests {
			if r := &t.Requests[i]; r.After < 0 {
				first[r.Session] = r.At
			}
		}
		t.Shift(func(session int) int64 { return starts[session] - first[session] })
		return t, nil
	}
}

// sessions draws that many whole sessions.
func (m Made) sessions(d *drawing, n int) *trace.Trace {
	m.Requests = int(float64(n)*m.Turns*1.2) + 1000
	t := m.Trace(d.seed, d.replicas, d.profile)
	for t.Sessions <= n {
		m.Requests *= 2
		t = m.Trace(d.seed, d.replicas, d.profile)
	}
	return firstSessions(t, n)
}

// firstSessions is the trace of the sessions below n.
func firstSessions(t *trace.Trace, n int) *trace.Trace {
	out := t.Clone()
	out.Requests, out.Sessions = out.Requests[:0], n
	place := make([]int, len(t.Requests))
	for i, r := range t.Requests {
		if r.Session >= n {
			continue
		}
		if place[i] = len(out.Requests); r.After >= 0 {
			r.After = place[r.After]
		}
		out.Requests = append(out.Requests, r)
	}
	return out
}

// inPhases splits what was served by the phase in which it came, and says how long after the end of the second the mean of
// a minute was at most within times the first's again, in s: −1 where never.
func inPhases(r *replay.Result, phases []phase, within float64) (means []float64, recovery float64) {
	const window = 30.0
	ends, from := make([]float64, len(phases)), 0.0
	for i, p := range phases {
		from += p.seconds
		ends[i] = from
	}
	sums, counts := make([]float64, len(phases)), make([]float64, len(phases))
	spans := make([][2]float64, int(from/window)+1)
	for _, s := range r.Served {
		if s.PromptTokens == 0 {
			continue
		}
		at, ttft := float64(s.Queued)/1e9, ms(s.First-s.Queued)
		i := min(sort.SearchFloat64s(ends, at), len(phases)-1)
		sums[i], counts[i] = sums[i]+ttft, counts[i]+1
		if k := int(at / window); k < len(spans) {
			spans[k][0], spans[k][1] = spans[k][0]+ttft, spans[k][1]+1
		}
	}
	for i := range sums {
		means = append(means, sums[i]/max(counts[i], 1))
	}
	for k := int(ends[1] / window); k+1 < len(spans); k++ {
		if n := spans[k][1] + spans[k+1][1]; n > 0 && (spans[k][0]+spans[k+1][0])/n <= within*means[0] {
			return means, float64(k)*window - ends[1]
		}
	}
	return means, -1
}
