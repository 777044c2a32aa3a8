package replay

import (
	"reflect"
	"testing"
	"time"

	"warmroute/hostsim/internal/ours"
	"warmroute/hostsim/internal/router"
	"warmroute/hostsim/internal/trace"
)

// crowd is conversations of ten turns that want far more memory than there is, on replicas with so many tokens each.
func crowd(t *testing.T, kvTokens int) Options {
	t.Helper()
	o := replayOptions(t, "cache_aware")
	tr := &trace.Trace{BlockSize: 64}
	for i := range 1000 {
		session, turn := i%100, i/100
		after := -1
		if turn > 0 {
			after = i - 100
		}
		blocks := trace.Blocks{{First: uint32(session * 200), N: uint32(60 + 2*turn)}}
		tr.Requests = append(tr.Requests, trace.Request{
			At: int64(session) * 500e6, Session: session, After: after, Think: 3e9, Blocks: blocks, InputTokens: blocks.Len() * 64, OutputTokens: 60,
		})
	}
	tr.Sessions, tr.IDs = 100, 100*200
	o.Trace, o.Gateways, o.Closed, o.Scrape = tr, 1, true, time.Second
	var err error
	if o.Profile, err = Fit(o.Profile, tr, kvTokens); err != nil {
		t.Fatal(err)
	}
	o.Plugin = map[string]any{"hold_limit": "60s"}
	return o
}

// Where caches thrash, new prompts wait at the gateway: more is found in caches, and more is answered. Both engines hold the same requests
// and let the same go.
func TestHoldsInOverload(t *testing.T) {
	o := crowd(t, 80_000)
	o.Detail = true
	with := result(t, o)
	loaded, err := ours.Load(t.Context(), module)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close(t.Context())
	o.Engine = func(configuration []byte, workers int) (router.Engine, error) {
		return ours.StartWasm(t.Context(), loaded, configuration, workers, nil)
	}
	if got := result(t, o); !reflect.DeepEqual(got, with) {
		t.Errorf("wasm   %+v\nnative %+v", got.TTFT, with.TTFT)
	}
	hits, answers, n := 0.0, 0.0, 0.0 // × nothing held; single ones differ by chance
	for kvTokens := 66_000; kvTokens <= 96_000; kvTokens += 6_000 {
		with = result(t, crowd(t, kvTokens))
		o = crowd(t, kvTokens)
		o.Plugin = map[string]any{"hold_limit": "0s"}
		without := result(t, o)
		t.Logf("%d tokens: hit %.3f, %.2f answers a second, TTFT %+v; nothing held: %.3f, %.2f, %+v", kvTokens,
			with.TokenHitRatio, with.ThroughputRPS, with.TTFT, without.TokenHitRatio, without.ThroughputRPS, without.TTFT)
		hits, answers, n = hits+with.TokenHitRatio/without.TokenHitRatio, answers+with.ThroughputRPS/without.ThroughputRPS, n+1
	}
	if hits < 1.5*n || answers < 1.25*n {
		t.Errorf("%.2f times the hits and %.2f times the answers, want 1.5 and 1.25", hits/n, answers/n)
	}
}
