package checks

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/hostsim/internal/finding"
)

// What stands around a module of Envoy Gateway is judged with it.
func TestEnvoyGateway(t *testing.T) {
	right := strings.ReplaceAll(read(t, root+"examples/envoy-gateway/warmroute.yaml"), "registry.example.com/", "ghcr.io/me/") + "\n---\n" + read(t, root+"examples/envoy-gateway/gateway.yaml")
	for _, c := range []struct {
		old, new string
		level    finding.Level
		want     string
	}{
		{"", "", finding.Fine, ""},
		{"bufferLimit: 8Mi", "bufferLimit: 5242880", finding.Fine, ""},
		{"bufferLimit: 8Mi", "bufferLimit: 1Mi", finding.Weak, "prompts above 1024 KiB may wait"},
		{"bufferLimit: 8Mi", "other: 8Mi", finding.Weak, "prompts above 32 KiB may wait"},
		{"- header: x-gateway-destination-endpoint", "- header: x-other", finding.Broken, "no BackendTrafficPolicy takes endpoints from the header x-gateway-destination-endpoint"},
		{"httproute/default/vllm/rule/0", "httproute/default/vllm/rule/1", finding.Fine, ""}, // another rule of it
		{"metadata:\n  name: warmroute", "metadata:\n  namespace: models\n  name: warmroute", finding.Broken, "attached to the HTTPRoute models/vllm, and looks for the hosts of httproute/default/vllm/rule/0"},
		{"httproute/default/vllm/rule/0", "httproute/default/llm/rule/0", finding.Broken, "attached to the HTTPRoute vllm, and looks for the hosts of httproute/default/llm/rule/0"},
	} {
		text := strings.ReplaceAll(right, c.old, c.new)
		if c.old == "" {
			text = right
		} else if text == right {
			t.Fatalf("nothing like %s", c.old)
		}
		if all := judge(t, text); finding.Worst(all) != c.level || !strings.Contains(fmt.Sprintf("%+v", all), c.want) {
			t.Errorf("%s: %+v, want %q", c.new, all, c.want)
		}
	}
	for text, want := range map[string]float64{"8Mi": 8 << 20, "32768": 32768, "1.5Ki": 1536, "2G": 2e9, "x": 0, "": 0, "5Q": 0} {
		if got := quantity(text); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
