//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"warmroute/hostsim/internal/gateway"
)

// Envoy takes every example as it is shipped, from the repository's root as its first lines say.
func TestEnvoyValidatesTheExamples(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(root + "examples/envoy/*.yaml")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d examples (%v)", len(files), err)
	}
	for _, file := range files {
		name := "examples/envoy/" + filepath.Base(file)
		validate := exec.Command(os.Getenv("ENVOY"), "--mode", "validate", "-c", name)
		validate.Dir = root
		validate.Env = append(os.Environ(), "WARMROUTE_PEERS_SECRET=a secret of many characters")
		out, err := validate.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "OK") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(text), "envoy -c "+name) {
			t.Errorf("%s does not say how to run it (%v)", name, err)
		}
	}
}

// Envoy Gateway has neither the flag nor a filter that makes a property a header; its example has the module once more, as a
// gate, in a VM of its own. It steers as property.yaml does, holds nothing that is not to be held, and large bodies stream.
func TestSteeringByGate(t *testing.T) {
	t.Parallel()
	gates := gatesOfEnvoyGateway(t)
	s := launch(t, "property", func(o *gateway.Options) {
		byPrefix(o)
		o.Edit, o.Concurrency = gates, 2
	})
	t.Run("a prefix stays on one replica", s.samePrefix)
	t.Run("a forged header is ignored", s.forged)
	t.Run("a broken body passes through", s.broken)
	t.Run("other requests pass", s.others)
	t.Run("the decision is logged", s.logged)
	sinks, _ := launchSinks(t, "property", map[string]any{"policy": "prefix_hash"}, gates)
	t.Run("a large body", func(t *testing.T) {
		body := `{"model":"m","prompt":"` + strings.Repeat("A long tale of many words, told once more. ", 12_000_000/43) + `"}`
		r := sinks.parts(t, "/v1/completions", 3*time.Millisecond, body[:30_000], body[30_000:])
		if r.status != 200 || r.header.Get("x-received") != whole(body) || r.decision["reason"] != "home" {
			t.Errorf("got status %d, decision %v, and the replica received %q; want all %s by the prompt's home", r.status, r.decision, r.header.Get("x-received"), whole(body))
		}
	})
	t.Run("a stalled body", func(t *testing.T) {
		stalled, _ := launchSinks(t, "property", map[string]any{"policy": "prefix_hash", "decide_timeout": "100ms"}, gates)
		body := `{"model":"m","messages":[{"role":"user","content":"` + strings.Repeat("Hello. ", 2000) + `"}]}`
		r := stalled.parts(t, "/v1/chat/completions", time.Second, body[:50], body[50:])
		if passed := stalled.stat(t, `warmroute_passed_total{reason="stalled"`); r.status != 200 || r.header.Get("x-received") != whole(body) || passed != 1 {
			t.Errorf("got status %d, received %q, %v passed as stalled; want the whole request, unsteered", r.status, r.header.Get("x-received"), passed)
		}
	})
}

// A filter between the one that routes and the gate may hold the headers until after the decision, as those do that ask a server of their
// own. Then no request waits at the gate for a choice that was made before it came, and each goes where that says.
func TestGateBehindSlowFilter(t *testing.T) {
	gates := gatesOfEnvoyGateway(t)
	s, _ := launchSinks(t, "property", map[string]any{"policy": "prefix_hash"}, func(doc any) {
		gates(doc)
		for _, manager := range gateway.Find(doc, "http_filters") {
			slow := map[string]any{"name": "envoy.filters.http.fault", "typed_config": map[string]any{
				"@type": "type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault",
				"delay": map[string]any{"fixed_delay": "0.2s", "percentage": map[string]any{"numerator": 100}}}}
			manager["http_filters"] = slices.Insert(manager["http_filters"].([]any), 1, any(slow))
		}
	})
	for n := range 3 {
		body := chat(story(n), "Hello.", nil)
		if r := s.parts(t, "/v1/chat/completions", 0, body); r.header.Get("x-received") != whole(body) {
			t.Errorf("status %d, received %q, want %q", r.status, r.header.Get("x-received"), whole(body))
		}
	}
	eventually(t, "three are steered", func() bool { return s.stat(t, "warmroute_requests_total") == 3 })
}

// gatesOfEnvoyGateway puts the gate of that example where property.yaml has a buffer and a header_mutation filter.
func gatesOfEnvoyGateway(t *testing.T) func(doc any) {
	t.Helper()
	text, err := os.ReadFile(root + "examples/envoy-gateway/warmroute.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var configuration []byte
	for part := range strings.SplitSeq(string(text), "\n---\n") {
		var policy struct {
			Spec struct {
				Wasm []struct {
					Name   string
					Config any
				}
			}
		}
		if err := yaml.Unmarshal([]byte(part), &policy); err != nil {
			t.Fatal(err)
		}
		if filters := policy.Spec.Wasm; len(filters) == 2 && filters[1].Name == "gate" {
			configuration, err = json.Marshal(filters[1].Config)
		}
	}
	if err != nil || len(configuration) == 0 {
		t.Fatalf("the example has no gate behind the first filter (%v)", err)
	}
	return func(doc any) {
		for _, manager := range gateway.Find(doc, "http_filters") {
			filters := manager["http_filters"].([]any)
			var config map[string]any
			copied, _ := json.Marshal(filters[0].(map[string]any)["typed_config"])
			if err := json.Unmarshal(copied, &config); err != nil {
				t.Fatal(err)
			}
			config["config"].(map[string]any)["vm_config"].(map[string]any)["vm_id"] = "gate"
			config["config"].(map[string]any)["configuration"].(map[string]any)["value"] = string(configuration)
			manager["http_filters"] = []any{filters[0], map[string]any{"name": "gate", "typed_config": config}, filters[len(filters)-1]}
		}
		for _, listener := range gateway.Find(doc, "per_connection_buffer_limit_bytes") {
			listener["per_connection_buffer_limit_bytes"] = 8 << 20
		}
	}
}
