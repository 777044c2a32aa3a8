package replay

import (
	"strings"
	"testing"

	"warmroute/hostsim/internal/ours"
	"warmroute/hostsim/internal/trace"
)

// questions are 800 short ones, each with one of six system prompts, of which twelve are under way at a time.
func questions(t *testing.T, policy string, cores float64) Options {
	t.Helper()
	o := replayOptions(t, policy)
	tr := &trace.Trace{BlockSize: 64}
	for i := range 800 {
		blocks := trace.Blocks{{First: uint32(i % 6 * 20), N: 20}, {First: uint32(1000 + i), N: 1}}
		tr.Requests = append(tr.Requests, trace.Request{
			At: int64(i), Session: i, After: -1, Blocks: blocks, InputTokens: blocks.Len() * 64, OutputTokens: 60 + i%17,
		})
	}
	tr.Sessions, tr.IDs = 800, 2000
	o.Trace, o.Gateways, o.Closed, o.Concurrency, o.Cores = tr, 1, true, 12, cores
	var err error
	if o.Profile, err = Fit(o.Profile, tr, 60_000); err != nil {
		t.Fatal(err)
	}
	return o
}

// Where replicas share a processor, one that is at work for nothing slows all others: the default learns that from its streams, and has
// few at work. The module does as the native code.
func TestOneProcessor(t *testing.T) {
	o := questions(t, "cache_aware", 1)
	o.Detail = true
	shared := result(t, o)
	for i := range shared.Served {
		if d := shared.Served[i].Decision; i > 400 && !strings.Contains(d, "crowding_tokens=") {
			t.Fatalf("decided as %s", d)
		}
	}
	for _, policy := range []string{"join_shortest_queue", "prefix_hash"} {
		other := result(t, questions(t, policy, 1))
		if shared.TTFT.Mean > 0.85*other.TTFT.Mean || shared.Latency.Mean > 0.8*other.Latency.Mean {
			t.Errorf("first tokens after %.1f ms, answers after %.0f; %s %.1f, %.0f",
				shared.TTFT.Mean, shared.Latency.Mean, policy, other.TTFT.Mean, other.Latency.Mean)
		}
	}
	loaded, err := ours.Load(t.Context(), module)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close(t.Context())
	o.Detail = false
	wasmDoes(t, loaded, o, result(t, o))
}
