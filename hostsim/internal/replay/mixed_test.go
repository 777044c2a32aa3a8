package replay

import (
	"testing"

	"warmroute/hostsim/internal/ours"
	"warmroute/hostsim/internal/router"
	"warmroute/hostsim/internal/vllm"
)

// mixedOptions have replicas of which the second half is several times as fast as the first.
func mixedOptions(t *testing.T, policy string) Options {
	t.Helper()
	o := replayOptions(t, policy)
	fast, err := vllm.LoadProfile("h100-8b")
	if err != nil {
		t.Fatal(err)
	}
	if fast, err = Fit(fast, o.Trace, 60_000); err != nil {
		t.Fatal(err)
	}
	o.Second, o.Gateways = &fast, 1
	return o
}

// Half of the replicas are several times as fast as the other half: what each does is by its speed, learned from its answers,
// and the mean time to the first token is less than half of that of round robin, which gives each as much.
func TestMixedSpeeds(t *testing.T) {
	share := map[string]float64{}
	ttft := map[string]float64{}
	for _, policy := range []string{"round_robin", "cache_aware", "expected_ttft"} {
		o := mixedOptions(t, policy)
		res, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Halves) != 2 || res.Halves[0].Requests+res.Halves[1].Requests != res.Requests {
			t.Fatalf("%+v", res.Halves)
		}
		share[policy], ttft[policy] = res.Halves[1].Computed, res.TTFT.Mean
		t.Logf("%s: the fast half computes %.2f of the tokens, mean TTFT %.0f ms", policy, share[policy], ttft[policy])
	}
	for _, policy := range []string{"cache_aware", "expected_ttft"} {
		if share[policy] < share["round_robin"]+0.05 || ttft[policy] > ttft["round_robin"]/2 {
			t.Errorf("%s: the fast half computes %.2f of the tokens (round robin %.2f), mean TTFT %.0f ms (%.0f)",
				policy, share[policy], share["round_robin"], ttft[policy], ttft["round_robin"])
		}
	}
}

// The same where no answer is streamed: then whole answers tell which replicas are fast, natively and in the module.
func TestMixedSpeedsOfWholeAnswers(t *testing.T) {
	loaded, err := ours.Load(t.Context(), module)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close(t.Context())
	run := func(policy string, engine func([]byte, int) (router.Engine, error)) *Result {
		o := mixedOptions(t, policy)
		o.Whole = true
		if engine != nil {
			o.Engine = engine
		}
		return result(t, o)
	}
	even, got := run("round_robin", nil), run("cache_aware", nil)
	if share := got.Halves[1].Computed; share < even.Halves[1].Computed+0.15 || got.Latency.Mean > even.Latency.Mean*2/3 {
		t.Errorf("the fast half computes %.2f of the tokens (round robin %.2f), answers take %.0f ms (%.0f)", share, even.Halves[1].Computed, got.Latency.Mean, even.Latency.Mean)
	}
	module := run("cache_aware", func(c []byte, workers int) (router.Engine, error) {
		return ours.StartWasm(t.Context(), loaded, c, workers, nil)
	})
	if module.TTFT != got.TTFT || module.Latency != got.Latency || module.TokenHitRatio != got.TokenHitRatio {
		t.Errorf("the module: %+v, natively %+v", module.Latency, got.Latency)
	}
}
