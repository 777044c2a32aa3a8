package bound

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"warmroute/hostsim/internal/trace"
)

// TestPublishedTraces prints the bounds of the public traces under -v, and holds them. They are read from the
// folder that WARMROUTE_TRACES names; TestOwnTraces does the same for what is in the repository.
func TestPublishedTraces(t *testing.T) {
	root := os.Getenv("WARMROUTE_TRACES")
	if root == "" {
		TestOwnTraces(t)
		return
	}
	type pool struct {
		tokens int // of the whole fleet
		want   float64
		lru    float64
	}
	for _, c := range []struct {
		file               string
		sharing            trace.Sharing
		requests, sessions int
		infinite           float64
		pools              []pool
	}{
		{"mooncake_conversation.jsonl.gz", 0, 7851, 4931, .3577, []pool{{8 * 3000 * 512, .3577, .3083}, {8 * 800 * 512, .3546, .1502}}},
		{"mooncake_synthetic.jsonl.gz", 0, 3993, 2245, .6512, []pool{{8 * 3000 * 512, .6512, .6162}, {8 * 800 * 512, .5738, .3394}}},
		{"claude_code_sessions.delta.jsonl.gz", trace.ShareTools, 27848, 458, .9619, []pool{{8 * 6250 * 64, .7992, .5758}}},
		{"claude_code_sessions.delta.jsonl.gz", trace.ShareAll, 27848, 458, .9625, nil},
		{"claude_code_sessions.delta.jsonl.gz", trace.ShareNothing, 27848, 458, .9605, nil},
		{"AzureLLMInferenceTrace_conv.csv.gz", 0, 19366, 19366, 0, nil},
		{"AzureLLMInferenceTrace_code.csv.gz", 0, 8819, 8819, 0, nil},
	} {
		tr, err := trace.Open(filepath.Join(root, c.file), trace.Options{Sharing: c.sharing})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Infinite(tr)
		t.Logf("%s, sharing %d: %d requests, %d sessions, infinite cache %.4f", c.file, c.sharing, len(tr.Requests), tr.Sessions, got)
		if err != nil || len(tr.Requests) != c.requests || tr.Sessions != c.sessions || math.Abs(got-c.infinite) > 2e-4 {
			t.Errorf("%s: %d requests, %d sessions, %.4f, %v; want %d, %d, %.4f",
				c.file, len(tr.Requests), tr.Sessions, got, err, c.requests, c.sessions, c.infinite)
		}
		for _, p := range c.pools {
			got, err := Pooled(tr, p.tokens)
			if err != nil {
				t.Fatal(err)
			}
			lru, err := PooledLRU(tr, p.tokens)
			t.Logf("%s: at most %.4f in %d tokens; one LRU cache %.4f", c.file, got, p.tokens, lru)
			if err != nil || math.Abs(got-p.want) > 2e-4 || math.Abs(lru-p.lru) > 2e-4 {
				t.Errorf("%s: %.4f and %.4f, %v in %d tokens; want %.4f and %.4f", c.file, got, lru, err, p.tokens, p.want, p.lru)
			}
		}
	}
}
