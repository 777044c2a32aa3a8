//go:build e2e

package e2e

import (
	"math"
	"testing"
	"time"

	"warmroute/hostsim/internal/bench"
	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/gateway"
	"warmroute/hostsim/internal/workload"
)

// However many workers Envoy has, the caches are used as well as with one, and nothing stays in flight.
func TestWorkersShare(t *testing.T) {
	hit := map[int]float64{}
	for _, workers := range []int{1, 2, 4} {
		s := launch(t, "endpoint", func(o *gateway.Options) {
			o.Concurrency = workers
			o.Plugin = map[string]any{"policy": "cache_aware"}
		})
		share(t, s)
		w, err := workload.New("conversations", workload.Options{
			Seed: 5, Requests: 300, Model: fleet.DefaultModel, PromptTokens: 600, SystemPrompts: 6, OutputTokens: 12, Live: 16})
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
		hit[workers] = r.TokenHitRatio
		eventually(t, "nothing is in flight at rest", func() bool { return s.stat(t, "warmroute_in_flight") == 0 })
	}
	t.Logf("token hit ratio by workers: %v", hit)
	for _, workers := range []int{2, 4} {
		if lost := (hit[1] - hit[workers]) / hit[1]; lost > 0.02 || math.IsNaN(lost) {
			t.Errorf("%d workers: token hit ratio %.4f, with one %.4f: more than 2 %% lost", workers, hit[workers], hit[1])
		}
	}
}

// share lets all workers begin and find each other: they join at their first request, and look for peers once a second.
func share(t *testing.T, s *stack) {
	t.Helper()
	w, err := workload.New("no-reuse", workload.Options{Seed: 6, Requests: 96, Model: fleet.DefaultModel, PromptTokens: 50, OutputTokens: 4})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bench.Run(t.Context(), bench.Options{URL: s.URL, Concurrency: 16}, w); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1200 * time.Millisecond)
}
