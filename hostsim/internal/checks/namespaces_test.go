package checks

import (
	"strings"
	"testing"

	"warmroute/hostsim/internal/finding"
)

// Resources of one gateway that are in several namespaces are said: some of them select no pod.
func TestNamespaces(t *testing.T) {
	plugin := `kind: WasmPlugin
metadata: {name: warmroute, namespace: PLUGIN}
spec:
  selector: {matchLabels: {istio: ingressgateway}}
  failStrategy: FAIL_OPEN
  pluginConfig: {discovery: {cluster: outbound|8000||vllm.default.svc.cluster.local}, steer: {via: property},
    peers: {cluster: outbound|9902||warmroute-gateways.SERVICE.svc.cluster.local, trust: mtls}}
---
` + strings.Replace(read(t, root+"istio/wasmplugin/envoyfilter.yaml"), "metadata:\n", "metadata:\n  namespace: FILTER\n", 1)
	for _, c := range []struct{ plugin, filter, service, want string }{
		{"edge", "edge", "edge", ""},
		{"istio-system", "istio-system", "istio-system", ""},
		{"istio-system", "istio-system", "edge", ""},
		{"edge", "istio-system", "edge", ""},
		{"edge", "edge", "istio-system", "asks those of the Service warmroute-gateways in istio-system"},
		{"edge", "other", "edge", "the EnvoyFilters are in other"},
	} {
		all := judge(t, strings.NewReplacer("PLUGIN", c.plugin, "FILTER", c.filter, "SERVICE", c.service).Replace(plugin))
		if bad := finding.Worst(all) != finding.Fine; bad != (c.want != "") || bad && !strings.Contains(all[0].What, c.want) {
			t.Errorf("%s, %s, %s: %+v, want %q", c.plugin, c.filter, c.service, all, c.want)
		}
	}
	filter := strings.Replace(read(t, root+"istio/envoyfilter/envoyfilter.yaml"), `"policy":`, `"peers": {"cluster": "outbound|9902||warmroute-gateways.istio-system.svc.cluster.local", "trust": "mtls"}, "policy":`, 1) +
		"---\nkind: EnvoyFilter\nmetadata: {name: warmroute-gateways, namespace: istio-system}\nspec: {workloadSelector: {labels: {istio: edge}}, configPatches: []}\n"
	for space, want := range map[string]bool{"edge": true, "istio-system": false} {
		all := judge(t, strings.Replace(filter, "metadata:\n", "metadata:\n  namespace: "+space+"\n", 1))
		if said := strings.Contains(all[0].What, "it is for gateways in edge, and asks"); said != want {
			t.Errorf("%s: %+v", space, all)
		}
	}
}
