//go:build chart

package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// Routes that the chart makes attach to the Gateway that it makes, wherever the two are.
func TestChartRoutesAttach(t *testing.T) {
	for variant, want := range map[string][2]string{ // the Gateway, and the namespaces whose routes it takes
		"names-inferencepool": {"edge/edge", "map[from:Selector selector:map[matchLabels:map[kubernetes.io/metadata.name:models]]]"},
		"names-gateway-api":   {"edge/edge", "map[from:Selector selector:map[matchLabels:map[kubernetes.io/metadata.name:models]]]"},
		"vllm-gateway-api":    {"default/llm", "map[from:Same]"},
	} {
		routes, objects := 0, rendered(t, "chart-"+variant)
		for name, object := range objects {
			if !strings.HasPrefix(name, "HTTPRoute ") {
				continue
			}
			routes++
			parent := member(member(object, "spec", "parentRefs").([]any)[0]).(map[string]any)
			if parent["namespace"] == nil {
				parent["namespace"] = member(object, "metadata", "namespace")
			}
			gateway := objects[fmt.Sprint("Gateway ", want[0])]
			if got := fmt.Sprint(parent["namespace"], "/", parent["name"]); got != want[0] || gateway == nil {
				t.Errorf("%s: %s is attached to %s, want %s", variant, name, got, want[0])
				continue
			}
			if got := fmt.Sprint(member(member(gateway, "spec", "listeners").([]any)[0], "allowedRoutes", "namespaces")); got != want[1] {
				t.Errorf("%s: the Gateway takes the routes of %s, want %s", variant, got, want[1])
			}
		}
		if routes != 1 {
			t.Errorf("%s: %d routes", variant, routes)
		}
	}
}

// member is the member of an object at a path.
func member(node any, path ...string) any {
	for _, name := range path {
		node = node.(map[string]any)[name]
	}
	return node
}
