package doctor

import "testing"

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
		want            Level
	}{
		{"vllm", "per_try_timeout: 2s", Weak},
		{"vllm", "per_try_idle_timeout: 2s", Weak},
		{"vllm", "per_try_timeout: 300s", Fine},
		{"other", "per_try_timeout: 2s", Fine},
	} {
		if all := judge(t, routes(c.cluster, c.policy)); Worst(all) != c.want {
			t.Errorf("%s, %s: %+v", c.cluster, c.policy, all)
		}
	}
}
