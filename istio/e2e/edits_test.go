//go:build e2eistio

package e2e

import (
	"fmt"
	"testing"
)

// TestManyEdits: each edit makes new copies of the module. The old ones go, with their memory; what they knew of the
// prefixes stays, in the proxy's shared data.
func TestManyEdits(t *testing.T) {
	s := shared
	s.apply(t, s.shipped(t, classic.folder, nil))
	docs := s.shipped(t, "wasmplugin", nil)
	s.apply(t, docs)
	g := s.startGateway(t, classic)
	eventually(t, "requests are steered", func() bool { return g.steers(t) })
	for n := range 30 {
		g.ask(t, story(n), "Hello")
	}
	machines := func() float64 { return g.stat(t, "envoy_wasm_envoy_wasm_runtime_v8_active") }
	first := machines()
	t.Logf("before: %.0f copies, %s", first, g.agent.memory())
	policies := []string{"prefix_hash", "cache_aware"}
	for n := range 20 {
		for _, doc := range docs {
			pluginConfig(t, doc, func(config object) { config["policy"] = policies[n%2] })
			if err := s.kube.apply(doc); err != nil {
				t.Fatal(err)
			}
		}
		eventually(t, fmt.Sprintf("edit %d is taken", n), func() bool {
			return g.ask(t, story(1), "Again").decision["policy"] == policies[n%2]
		})
		if n == 1 {
			if after := g.ask(t, story(2), "Again").decision; after["matched"] == "0" {
				t.Errorf("after two edits nothing is known of a prompt that was asked before: %v", after)
			}
		}
	}
	eventually(t, "the old copies are gone", func() bool { return machines() <= first })
	t.Logf("after 20 edits: %.0f copies, %s", machines(), g.agent.memory())
}
