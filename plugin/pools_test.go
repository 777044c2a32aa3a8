package main

import (
	"strings"
	"testing"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"
)

const poolsConfiguration = `{"response_header":"x-why","pools":[
	{"name":"llama","match":{"models":["llama-8b","llama-8b-*"]},"endpoints":["10.0.1.1:80","10.0.1.2:80"],"steer":{"cluster":"llama"}},
	{"name":"gpt","match":{"models":["gpt"]},"off":true,"steer":{"cluster":"elsewhere"}},
	{"name":"qwen","match":{"cluster":"qwen"},"endpoints":["10.0.2.1:80","10.0.2.2:80"],"steer":{"header":"x-to"}}]}`

// The body's model or the route's cluster says which pool a request is in; the first is told to the route by a header.
func TestPools(t *testing.T) {
	host := emulate(t, poolsConfiguration)
	if status := host.StartPlugin(); status != types.OnPluginStartStatusOK {
		t.Fatalf("start: got %v, logs %v", status, host.GetCriticalLogs())
	}
	for _, c := range []struct{ cluster, model, to, endpoints, header, counted string }{
		{"default", "llama-8b-poet", "llama", "10.0.1.", "x-gateway-destination-endpoint", "reason=.=by_load;.;endpoint=.=ADDRESS;.;pool=.=llama;.;warmroute_requests_total"},
		{"qwen", "llama-8b", "", "10.0.2.", "x-to", "reason=.=by_load;.;endpoint=.=ADDRESS;.;pool=.=qwen;.;warmroute_requests_total"},
		{"default", "gpt", "elsewhere", "", "x-gateway-destination-endpoint", "reason=.=off;.;pool=.=gpt;.;warmroute_passed_total"},
		{"default", "other", "", "", "x-gateway-destination-endpoint", "reason=.=no_pool;.;warmroute_passed_total"},
	} {
		id := host.InitializeHttpContext()
		if err := host.SetProperty([]string{"xds", "cluster_name"}, []byte(c.cluster)); err != nil {
			t.Fatal(err)
		}
		host.CallOnRequestHeaders(id, append([][2]string{{"x-to", "10.9.9.9:80"}}, postHeaders...), false)
		if got := host.CallOnRequestBody(id, []byte(`{"prompt":"Once","model":"`+c.model+`"}`), true); got != types.ActionContinue {
			t.Fatalf("%s: got action %v", c.model, got)
		}
		headers := host.GetCurrentRequestHeaders(id)
		if got := header(headers, "x-warmroute-cluster"); got != c.to {
			t.Errorf("%s in the cluster %s: the cluster header is %q, want %q", c.model, c.cluster, got, c.to)
		}
		endpoint, _, _ := strings.Cut(header(headers, c.header), ",")
		if !strings.HasPrefix(endpoint, c.endpoints) || (endpoint == "") != (c.endpoints == "") {
			t.Errorf("%s in the cluster %s: sent to %q, want %q…", c.model, c.cluster, endpoint, c.endpoints)
		}
		host.Tick()
		if name := strings.Replace(c.counted, "ADDRESS", endpoint, 1); c.counted != "" {
			if n, err := host.GetCounterMetric(name); err != nil || n != 1 {
				t.Errorf("%s is %d (%v), want 1", name, n, err)
			}
		}
		host.CompleteHttpContext(id)
	}
}
