//go:build chart

package e2e

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"warmroute/plugin/config"
)

// TestChartRendersTheSame: what helm renders of istio/chart, and kustomize of the other folders, are the same objects. check.sh
// renders both into the folder that RENDERED names.
func TestChartRendersTheSame(t *testing.T) {
	for chart, folders := range map[string][]string{
		"wasmplugin":      {"wasmplugin"},
		"subsets":         {"subsets"},
		"consistent-hash": {"consistent-hash"},
		"inferencepool":   {"inferencepool"},
		"envoyfilter":     {"envoyfilter"},
		"gateway-api":     {"gateway-api"},

		"gateways-wasmplugin":  {"gateways-wasmplugin"},
		"gateways-envoyfilter": {"gateways-envoyfilter"},
		"gateways-gateway-api": {"gateways-gateway-api"},

		"vllm-classic":     {"gateways-wasmplugin", "vllm-classic"},
		"vllm-gateway-api": {"gateways-gateway-api", "vllm-gateway-api"},
	} {
		got, want := rendered(t, "chart-"+chart), map[string]any{}
		for _, folder := range folders {
			maps.Copy(want, rendered(t, "-"+folder))
		}
		if g, w := slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)); !slices.Equal(g, w) || len(w) == 0 {
			t.Errorf("%s: the chart has %v, the kustomizations have %v", chart, g, w)
			continue
		}
		for name := range want {
			if !reflect.DeepEqual(got[name], want[name]) {
				t.Errorf("%s: %s differs:\n%s\nand by kustomize\n%s", chart, name, printed(t, got[name]), printed(t, want[name]))
			}
		}
	}
}

// The filter for pools is that of istio/pools; Services and routes are there to be tried, and one's own in a chart.
func TestChartPools(t *testing.T) {
	const name = "EnvoyFilter istio-system/warmroute"
	for folder, objects := range map[string]int{"pools": 1, "gateways-pools": len(rendered(t, "chart-gateways-envoyfilter"))} {
		got, want := rendered(t, "chart-"+folder), rendered(t, "-"+folder)
		if len(got) != objects || want[name] == nil || !reflect.DeepEqual(got[name], want[name]) {
			t.Errorf("%s: %d objects; the chart's filter is\n%s\nand by kustomize\n%s", folder, len(got), printed(t, got[name]), printed(t, want[name]))
		}
	}
}

// Gateways share with names of one's own.
func TestChartGateways(t *testing.T) {
	for _, variant := range []string{"wasmplugin", "envoyfilter", "subsets", "inferencepool"} {
		objects := rendered(t, "chart-names-gateways-"+variant)
		telemetry, asks, answers := 0, 0, 0
		for name, object := range objects {
			text := printed(t, object)
			if strings.Contains(text, "9902") || strings.Contains(text, "istio-system") {
				t.Errorf("%s: a default name stays in %s:\n%s", variant, name, text)
			}
			if strings.HasPrefix(name, "WasmPlugin ") && strings.Contains(text, "imagePullSecret: pull") != (variant == "inferencepool") {
				t.Errorf("%s: another secret than the values':\n%s", variant, text)
			}
			if strings.HasPrefix(name, "Telemetry ") {
				telemetry++
			}
			if strings.HasPrefix(name, "AuthorizationPolicy ") && !strings.Contains(strings.Join(strings.Fields(text), " "), "notNamespaces: - edge to:") {
				t.Errorf("%s: another namespace may ask:\n%s", variant, text)
			}
			for _, c := range configurations(object) {
				cfg, err := config.Parse([]byte(c))
				switch {
				case err != nil:
					t.Errorf("%s: %s: %v", variant, c, err)
				case cfg.Peers.Trust != config.TrustMTLS:
				case cfg.Role == config.RolePeers:
					answers++
				case cfg.Peers.Cluster == "outbound|9911||warmroute-gateways.edge.svc.cluster.local":
					asks++
				}
			}
		}
		if telemetry != 1 || asks != 1 || answers != 1 {
			t.Errorf("%s: %d Telemetries, %d filters that ask, %d that answer; want one of each", variant, telemetry, asks, answers)
		}
	}
}

// Names and settings of one's own are in all the places where they must be.
func TestChartNames(t *testing.T) {
	const discovered = "outbound|9000||qwen.models.svc.cluster.local"
	for variant, cluster := range map[string]string{
		"wasmplugin": discovered, "envoyfilter": discovered, "subsets": discovered, "consistent-hash": "", "pools": "",
		"inferencepool": fmt.Sprintf("outbound|54321||qwen-ip-%.4x.models.svc.cluster.local", sha256.Sum256([]byte("qwen"))),
	} {
		policy := "expected_ttft"
		if variant == "consistent-hash" { // a key is needed
			policy = "prefix_hash"
		}
		objects := rendered(t, "chart-names-"+variant)
		for name, object := range objects {
			if old := printed(t, object); strings.Contains(old, "vllm.default") || strings.Contains(old, "ingressgateway") {
				t.Errorf("%s: a default name stays in %s:\n%s", variant, name, old)
			}
			for _, c := range configurations(object) {
				cfg, err := config.Parse([]byte(c))
				if err == nil && cfg.Role == config.RolePeers {
					continue // it has no names
				}
				if err != nil || cfg.Discovery.Cluster != cluster || cfg.Policy.String() != policy || cfg.Steer.Candidates != 4 {
					t.Errorf("%s: %s: %v, %+v", variant, c, err, cfg.Pool)
				}
			}
		}
	}
}

// rendered is a file's objects by kind, namespace and name. Configurations in strings are decoded: their spaces do not count.
func rendered(t *testing.T, name string) map[string]any {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(os.Getenv("RENDERED"), name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	objects := map[string]any{}
	for part := range strings.SplitSeq("\n"+string(content), "\n---") {
		var object map[string]any
		if err := yaml.Unmarshal([]byte(part), &object); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if object == nil {
			continue
		}
		meta := object["metadata"].(map[string]any)
		if notes, ok := meta["annotations"].(map[string]any); ok && len(notes) == 1 && notes["warmroute-first-line"] != nil {
			delete(meta, "annotations") // by which kustomize edits a string
		}
		key := fmt.Sprint(object["kind"], " ", meta["namespace"], "/", meta["name"])
		if objects[key] != nil {
			t.Errorf("%s: two of %s", name, key)
		}
		objects[key] = decoded(object)
	}
	return objects
}

func decoded(node any) any {
	switch n := node.(type) {
	case map[string]any:
		for name, value := range n {
			n[name] = decoded(value)
		}
	case []any:
		for i := range n {
			n[i] = decoded(n[i])
		}
	case string:
		var object map[string]any
		if strings.HasPrefix(n, "{") && json.Unmarshal([]byte(n), &object) == nil {
			canonical, _ := json.Marshal(object) // it was decoded from JSON
			return string(canonical)
		}
	}
	return node
}

func printed(t *testing.T, object any) string {
	t.Helper()
	out, err := yaml.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
