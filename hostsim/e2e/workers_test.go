//go:build e2e

package e2e

import (
	"math"
	"testing"

	"warmroute/hostsim/internal/bench"
	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/gateway"
	"warmroute/hostsim/internal/workload"
)

// However many workers Envoy has, the caches are used as well as with one, and nothing stays in flight. The workers begin
// with the load: each at its first request, some of them late, as connections come. What chance does to one run (a
// system prompt that two replicas compute at once) weighs less in the mean over several.
func TestWorkersShare(t *testing.T) {
	t.Parallel()
	seeds := []uint64{5, 6, 7}
	hit := map[int]float64{}
	for _, workers := range []int{1, 2, 4} {
		for _, seed := range seeds {
			s := launch(t, "endpoint", func(o *gateway.Options) {
				o.Concurrency = workers
				o.Plugin = map[string]any{"policy": "cache_aware"}
			})
			w, err := workload.New("conversations", workload.Options{
				Seed: seed, Requests: 300, Model: fleet.DefaultModel, PromptTokens: 600, SystemPrompts: 6, OutputTokens: 12, Live: 16})
			if err != nil {
				t.Fatal(err)
			}
			r, err := bench.Run(t.Context(), bench.Options{URL: s.URL, Concurrency: 8}, w)
			if err != nil {
				t.Fatal(err)
			}
			if r.Errors > 0 {
				t.Errorf("%d workers: %d errors: %v", workers, r.Errors, r.ErrorsByStatus)
			}
			t.Logf("%d workers, seed %d: token hit ratio %.4f", workers, seed, r.TokenHitRatio)
			hit[workers] += r.TokenHitRatio / float64(len(seeds))
			eventually(t, "nothing is in flight at rest", func() bool { return s.stat(t, "warmroute_in_flight") == 0 })
			s.Close()
		}
	}
	t.Logf("mean token hit ratio by workers: %v", hit)
	for _, workers := range []int{2, 4} {
		if lost := (hit[1] - hit[workers]) / hit[1]; lost > 0.02 || math.IsNaN(lost) {
			t.Errorf("%d workers: token hit ratio %.4f, with one %.4f: more than 2 %% lost", workers, hit[workers], hit[1])
		}
	}
}
