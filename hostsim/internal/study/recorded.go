package study

import (
	"math/rand/v2"
	"path/filepath"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
)

// jitter is the trace as it might have come: each session moved by up to span ns either way.
func jitter(t *trace.Trace, seed uint64, span float64) *trace.Trace {
	if seed == 0 {
		return t
	}
	rng := rand.New(rand.NewPCG(seed, 5))
	by := make([]int64, t.Sessions)
	for i := range by {
		by[i] = int64((2*rng.Float64() - 1) * span)
	}
	out := t.Clone()
	out.Shift(func(session int) int64 { return by[session] })
	return out
}

// tuneJitter is how far each session is moved either way between seeds, in ns: what traffic might have been.
const tuneJitter = 20e9

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
