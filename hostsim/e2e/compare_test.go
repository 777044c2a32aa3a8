//go:build e2e

package e2e

import (
	"os"
	"testing"
	"time"

	"warmroute/hostsim/internal/compare"
	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/gateway"
	"warmroute/hostsim/internal/vllm"
	"warmroute/hostsim/internal/workload"
)

// TestCompare: policies through Envoys of their own, in front of two replicas where the example has three. What goes by
// the prompt hits more than what takes turns, nothing fails, and belief and truth agree. An experiment with both counts all
// answers; what it finds depends on which sessions fall into which arm.
func TestCompare(t *testing.T) {
	profile, err := vllm.LoadProfile("h100-8b")
	if err != nil {
		t.Fatal(err)
	}
	f, err := fleet.Start(fleet.Options{N: 2, Profile: profile, Speed: 20})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	o := compare.Options{
		Targets: []compare.Target{
			{Name: "round_robin", Plugin: map[string]any{"policy": "round_robin"}},
			{Name: "prefix_key", Plugin: map[string]any{"policy": "prefix_key"}},
		},
		Loads:  []compare.Load{{Name: "shared-system", Options: workload.Options{Requests: 40, Live: 2, SystemPrompts: 12, PromptTokens: 2000, OutputTokens: 4}}},
		Rounds: 2, Seed: 1, Experiment: .5, Isolation: "auto", Concurrency: 2, Timeout: 20 * time.Second, Sample: 50 * time.Millisecond,
		Gateway: gateway.Options{Envoy: os.Getenv("ENVOY"), Wasm: root + "build/warmroute.wasm", Config: root + "examples/envoy/endpoint.yaml"},
	}
	for _, r := range f.Replicas {
		o.Replicas = append(o.Replicas, r.Addr())
	}
	r, err := compare.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	turns, key := r.Summaries[0], r.Summaries[1]
	if turns.Errors+key.Errors > 0 || r.Made.Isolation != "reset" {
		t.Errorf("%d and %d errors, isolation %s; want none, and reset", turns.Errors, key.Errors, r.Made.Isolation)
	}
	if turns.Servers.HitRate >= key.Servers.HitRate {
		t.Errorf("hit rate %.3f in turns and %.3f by the system prompt; want more", turns.Servers.HitRate, key.Servers.HitRate)
	}
	if len(r.Effects) != 2 || r.Effects[1].Answers != 80 || r.Effects[1].Compared.Change >= 0 || r.Effects[1].Experiment.Half <= 0 {
		t.Errorf("effects %+v; want less prefill by runs of each, and an interval by 80 answers", r.Effects)
	}
	for _, s := range r.Summaries {
		if a := s.Agreement; a == nil || a.Requests != 80 || a.Relative < -.1 || a.Relative > .1 {
			t.Errorf("%s: belief against truth %+v; want 80 requests within 10 %%", s.Target, a)
		}
	}
}
