package checks

import (
	"strings"
	"testing"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
	"warmroute/hostsim/internal/tree"
)

// What kind the cluster is, and where the routes lead, decides whether a choice is obeyed.
func TestKinds(t *testing.T) {
	const type_, route = "type: STATIC", "cluster: vllm\n                  timeout"
	const other = "\n  - name: other\n    type: STATIC\n    connect_timeout: 1s\n"
	h2 := "type: STATIC\n    typed_extension_protocol_options:\n      envoy.extensions.upstreams.http.v3.HttpProtocolOptions:\n        explicit_http_config: {http2_protocol_options: {}}"
	aggregate := "\n  - name: all\n    connect_timeout: 1s\n    lb_policy: CLUSTER_PROVIDED\n    cluster_type: {name: envoy.clusters.aggregate, typed_config: {clusters: [vllm]}}\n"
	for name, c := range map[string]struct {
		edits     []string
		level     finding.Level
		what, not string
	}{
		"as shipped":       {nil, finding.Fine, "the configuration is taken", "cluster vllm"},
		"one host":         {[]string{type_, "type: LOGICAL_DNS"}, finding.Weak, "LOGICAL_DNS keeps one host", ""},
		"HTTP/2":           {[]string{type_, h2}, finding.Weak, "it speaks HTTP/2", ""},
		"names":            {[]string{type_, "type: STRICT_DNS", "address: 127.0.0.1, port_value: 800", "address: vllm.internal, port_value: 800"}, finding.Weak, "its hosts are names, such as vllm.internal", "does not have the endpoint"},
		"an aggregate":     {[]string{"clusters:\n", "clusters:" + aggregate, `"scrape": {"cluster": "vllm"}`, `"scrape": {"cluster": "all"}`, route, strings.Replace(route, "vllm", "all", 1)}, finding.Broken, "it is an aggregate of vllm", "no such cluster"},
		"another cluster":  {[]string{"clusters:\n", "clusters:" + other, route, strings.Replace(route, "vllm", "other", 1)}, finding.Broken, "no route leads to cluster vllm", ""},
		"a part elsewhere": {[]string{"clusters:\n", "clusters:" + other, "cluster: vllm\n                  timeout", "weighted_clusters: {clusters: [{name: vllm, weight: 9}, {name: other, weight: 1}]}\n                  timeout"}, finding.Weak, "go to cluster other, which takes no choice", "no route leads"},
		"by a header":      {[]string{"cluster: vllm\n                  timeout", "cluster_header: x-to\n                  timeout"}, finding.Fine, "the configuration is taken", "no route leads"},
	} {
		text := example(t, "endpoint")
		for i := 0; i < len(c.edits); i += 2 {
			if !strings.Contains(text, c.edits[i]) {
				t.Fatalf("%s: the example has no %q", name, c.edits[i])
			}
			text = strings.ReplaceAll(text, c.edits[i], c.edits[i+1])
		}
		found := false
		for _, f := range judge(t, text) {
			found = found || f.Level == c.level && strings.Contains(f.What, c.what)
			if c.not != "" && strings.Contains(f.Where+": "+f.What, c.not) {
				t.Errorf("%s: %+v", name, f)
			}
		}
		if !found {
			t.Errorf("%s: no finding %q; but %+v", name, c.what, judge(t, text))
		}
	}
}

// Clusters that speak TLS are told, for replicas that fail through Envoy and answer without.
func TestOverTLS(t *testing.T) {
	for text, want := range map[string]string{
		strings.Replace(example(t, "endpoint"), "type: STATIC", "type: STATIC\n    transport_socket: {name: envoy.transport_sockets.tls, typed_config: {\"@type\": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext}}", 1): "vllm",
		example(t, "endpoint"): "",
	} {
		documents, err := tree.Documents([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(OverTLS(manifest.Collect(documents)), " "); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
