//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/gateway"
)

// One list of replicas that serve different models, and an adapter: each says itself what it serves, and each request is answered,
// embeddings too. The others would answer 404.
func TestModelsOfReplicas(t *testing.T) {
	t.Parallel()
	start := func(o fleet.Options) *fleet.Fleet {
		o.Profile, o.Speed = profile(t), 4
		f, err := fleet.Start(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	apple, pear := start(fleet.Options{N: 2, Model: "apple"}), start(fleet.Options{N: 1, Model: "pear", Adapters: []string{"poet"}})
	opt := options("endpoint", apple, map[string]any{"scrape": map[string]any{"cluster": "vllm", "models": "/v1/models", "models_interval": "500ms"}})
	opt.Replicas = append(opt.Replicas, strings.TrimPrefix(pear.URLs()[0], "http://"))
	opt.Concurrency = 1 // another worker learns a tick later
	g, err := gateway.Start(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	s := &stack{Gateway: g, fleet: apple}
	n := 0
	ask := func(model string) int {
		n++
		return s.post(t, "/v1/chat/completions", chat(story(n), fmt.Sprint("Question ", n), map[string]any{"model": model})).status
	}
	eventually(t, "the lists of all three are known", func() bool {
		for range 12 {
			if ask("pear") != 200 || ask("poet") != 200 {
				return false
			}
		}
		return true
	})
	for range 10 {
		for _, model := range []string{"apple", "pear", "poet"} {
			if status := ask(model); status != 200 {
				t.Errorf("request %d, for %s: status %d", n, model, status)
			}
		}
	}
	if got := s.stat(t, "warmroute_unlisted_model_total"); got != 0 {
		t.Errorf("%v requests for a model that no replica lists, before there is one", got)
	}
	if status := ask("plum"); status != 404 {
		t.Errorf("a model that nobody serves: status %d, want the replica's 404", status)
	}
	eventually(t, "that request is counted", func() bool { return s.stat(t, "warmroute_unlisted_model_total") == 1 })
}
