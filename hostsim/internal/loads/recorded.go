package loads

import (
	"math/rand/v2"
	"path/filepath"

	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
)

// The published traces, in the folder that the study is given.
const (
	ConversationFile = "mooncake_conversation.jsonl.gz"
	SyntheticFile    = "mooncake_synthetic.jsonl.gz"
	CodingFile       = "claude_code_sessions.delta.jsonl.gz"
)

// Recorded is a published trace with its own times. Each seed but the first moves every session by up to 20 s.
func Recorded(file string) Load {
	return func(d *Drawing) (*trace.Trace, error) {
		t, err := trace.Open(filepath.Join(d.Folder, file), trace.Options{Model: vllm.DefaultModel})
		if err != nil {
			return nil, err
		}
		return Jitter(t, d.Seed-1, JitterSpan), nil
	}
}

// CodingSessions are so many of the recorded sessions; the seed draws when they start, one in 40 s.
func CodingSessions(skip, sessions int) Load {
	return func(d *Drawing) (*trace.Trace, error) {
		return trace.Open(filepath.Join(d.Folder, CodingFile), trace.Options{Skip: skip, Limit: sessions, Model: vllm.DefaultModel, Seed: d.Seed})
	}
}

// JitterSpan is how far each session is moved either way between seeds, in ns: what traffic might have been.
const JitterSpan = 20e9

// Jitter is the trace as it might have come: each session moved by up to span ns either way. Seed 0 is the trace itself.
func Jitter(t *trace.Trace, seed uint64, span float64) *trace.Trace {
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
