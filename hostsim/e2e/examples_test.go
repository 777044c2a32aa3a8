//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"warmroute/hostsim/internal/gateway"
)

// Envoy takes every example as it is shipped, from the repository's root as its first lines say.
func TestEnvoyValidatesTheExamples(t *testing.T) {
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

// Envoy Gateway has no header_mutation filter for a property; its example has a line of Lua. It steers as property.yaml
// does.
func TestSteeringByLua(t *testing.T) {
	script := luaOfEnvoyGateway(t)
	s := launch(t, "property", func(o *gateway.Options) {
		byPrefix(o)
		o.Edit = func(doc any) {
			for _, manager := range gateway.Find(doc, "http_filters") {
				for i, filter := range manager["http_filters"].([]any) {
					if filter.(map[string]any)["name"] == "envoy.filters.http.header_mutation" {
						manager["http_filters"].([]any)[i] = map[string]any{
							"name": "envoy.filters.http.lua",
							"typed_config": map[string]any{
								"@type":               "type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua",
								"default_source_code": map[string]any{"inline_string": script},
							},
						}
					}
				}
			}
		}
	})
	t.Run("a prefix stays on one replica", s.samePrefix)
	t.Run("a forged header is ignored", s.forged)
	t.Run("a broken body passes through", s.broken)
	t.Run("other requests pass", s.others)
	t.Run("the decision is logged", s.logged)
}

func luaOfEnvoyGateway(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(root + "examples/envoy-gateway/warmroute.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for part := range strings.SplitSeq(string(text), "\n---\n") {
		var policy struct {
			Spec struct{ Lua []struct{ Inline string } }
		}
		if err := yaml.Unmarshal([]byte(part), &policy); err != nil {
			t.Fatal(err)
		}
		if len(policy.Spec.Lua) == 1 {
			return policy.Spec.Lua[0].Inline
		}
	}
	t.Fatal("the example has no Lua")
	return ""
}
