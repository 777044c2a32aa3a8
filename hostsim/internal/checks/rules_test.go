package checks

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/hostsim/internal/finding"
)

// Time-outs and retries of the routes that lead to the replicas are judged with the module, and those of other routes are not.
func TestRulesOfRoutes(t *testing.T) {
	plugin := `kind: WasmPlugin
metadata: {name: warmroute}
spec:
  selector: {matchLabels: {istio: ingressgateway}}
  failStrategy: FAIL_OPEN
  pluginConfig: {discovery: {cluster: outbound|8000||vllm.default.svc.cluster.local}, steer: {via: property}}
---
` + read(t, root+"istio/wasmplugin/envoyfilter.yaml") + "---\n"
	classic, gateway := read(t, root+"istio/vllm/classic/gateway.yaml"), read(t, root+"istio/vllm/gateway-api/gateway.yaml")
	const other = "  http:\n  - name: api\n    timeout: 15s\n    retries: {attempts: 1}\n    route: []\n"
	for _, c := range []struct{ page, old, new, want string }{
		{classic, "", "", ""},
		{gateway, "", "", ""},
		{classic, "  http:\n", other, ""},
		{classic, "    retries:", "    timeout: 15s\n    retries:", "VirtualService vllm, the rule vllm What:it ends answers after 15s"},
		{classic, "    retries:", "    timeout: 0s\n    retries:", ""},
		{classic, "      retryOn:", "      perTryTimeout: 2s\n      retryOn:", "perTryTimeout 2s makes"},
		{classic, ",gateway-error", "", "its retries leave out 503"},
		{gateway, "request: 0s", "request: 30s", "HTTPRoute vllm, the rule vllm What:it ends answers after 30s"},
		{gateway, "request: 0s", "backendRequest: 1m", "it ends answers after 1m"},
	} {
		page := strings.Replace(c.page, c.old, c.new, 1)
		if c.old != "" && page == c.page {
			t.Fatalf("nothing like %s", c.old)
		}
		all := judge(t, plugin+page)
		if text := fmt.Sprintf("%+v", all); (finding.Worst(all) != finding.Fine) != (c.want != "") || !strings.Contains(text, c.want) {
			t.Errorf("%s: %s, want %q", c.new, text, c.want)
		}
	}
}
