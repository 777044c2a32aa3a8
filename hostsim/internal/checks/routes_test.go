package checks

import (
	"strings"
	"testing"

	"warmroute/hostsim/internal/finding"
)

// Routes that a control plane gives are judged where they lead to replicas.
func TestDiscoveredRoutes(t *testing.T) {
	routes := func(cluster, policy string) string {
		return example(t, "endpoint") + `
---
"@type": type.googleapis.com/envoy.config.route.v3.RouteConfiguration
name: http.80
virtual_hosts: [{routes: [{route: {cluster: ` + cluster + `, timeout: 0s, retry_policy: {` + policy + `}}}]}]
`
	}
	for _, c := range []struct {
		cluster, policy string
		want            finding.Level
	}{
		{"vllm", "per_try_timeout: 2s", finding.Weak},
		{"vllm", "per_try_idle_timeout: 2s", finding.Weak},
		{"vllm", "per_try_timeout: 300s", finding.Fine},
		{"other", "per_try_timeout: 2s", finding.Fine},
	} {
		if all := judge(t, routes(c.cluster, c.policy)); finding.Worst(all) != c.want {
			t.Errorf("%s, %s: %+v", c.cluster, c.policy, all)
		}
	}
}

// Istio's EnvoyFilter turns the buffer filter on for the route that it finds by name: one with another name is said, in a running
// gateway and in the files.
func TestRoutesThatNothingHolds(t *testing.T) {
	text := strings.Replace(example(t, "property"), "          - name: envoy.filters.http.buffer\n", "          - name: envoy.filters.http.buffer\n            disabled: true\n", 1)
	for _, c := range []struct {
		route string
		want  finding.Level
	}{
		{"{name: vllm, route: {cluster: vllm, timeout: 0s}, typed_per_filter_config: {envoy.filters.http.buffer: {}}}", finding.Fine},
		{"{name: mine, route: {cluster: vllm, timeout: 0s}}", finding.Broken},
		{"{name: mine, route: {timeout: 0s, weighted_clusters: {clusters: [{name: canary}, {name: vllm}]}}}", finding.Broken},
		{"{name: mine, route: {cluster: other, timeout: 0s}}", finding.Fine},
	} {
		all := judge(t, text+`
---
"@type": type.googleapis.com/envoy.config.route.v3.RouteConfiguration
name: http.80
virtual_hosts: [{routes: [`+c.route+`]}]
`)
		if finding.Worst(all) != c.want || c.want == finding.Broken && !strings.Contains(all[0].What, "the route mine does not turn on the buffer filter") {
			t.Errorf("%s: %+v", c.route, all)
		}
	}
	files := strings.ReplaceAll(read(t, root+"istio/wasmplugin/wasmplugin.yaml"), placeholder, "ghcr.io/me/") + "---\n" + read(t, root+"istio/wasmplugin/envoyfilter.yaml") + "---\n"
	mine := strings.Replace(read(t, root+"istio/vllm/classic/gateway.yaml"), "  - name: vllm", "  - name: mine", 1)
	rules := "---\nkind: HTTPRoute\nmetadata: {name: chat}\nspec: {rules: [{backendRefs: []}]}\n"
	for text, want := range map[string]string{
		read(t, root+"istio/vllm/classic/gateway.yaml"): "",
		mine:  `looks for a route vllm, and those given are called "mine"`,
		rules: `looks for a route vllm, and those given are called "default.chat.0"`,
	} {
		all := judge(t, files+text)
		if broken := finding.Worst(all) == finding.Broken; broken != (want != "") || broken && !strings.Contains(all[0].What, want) {
			t.Errorf("%+v, want %q", all, want)
		}
	}
}
