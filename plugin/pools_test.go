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

// Where the model says which pool a request is in, a body that pauses for longer than decide_timeout is waited for, up to ten times as
// long; one whose model does not come by then goes on, and is counted.
func TestPausesBeforeTheModel(t *testing.T) {
	at := clock(t)
	host := emulate(t, `{"decide_timeout":"10ms","pools":[
		{"name":"llama","match":{"models":["llama"]},"endpoints":["10.0.1.1:80"],"steer":{"cluster":"llama"}},
		{"name":"rest","endpoints":["10.0.2.1:80"]}]}`)
	if status := host.StartPlugin(); status != types.OnPluginStartStatusOK {
		t.Fatalf("start: got %v, logs %v", status, host.GetCriticalLogs())
	}
	late := func() uint64 {
		host.Tick()
		n, err := host.GetCounterMetric("warmroute_late_model_total")
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	pause := func(timeouts int) {
		for range timeouts {
			*at += decideTimeout
			host.Tick()
		}
	}
	for _, c := range []struct {
		name           string
		before, middle int // decide_timeouts before the first part of the body, and before the second
		to             string
		late           uint64
	}{
		{"one that does not pause", 0, 0, "llama", 0},
		{"one that pauses", 0, 8, "llama", 0},
		{"one that begins late", 8, 0, "llama", 0},
		{"one that pauses for too long", 0, 11, "", 1},
		{"one that begins too late", 11, 0, "", 2},
	} {
		id := host.InitializeHttpContext()
		host.CallOnRequestHeaders(id, postHeaders, false)
		pause(c.before)
		host.CallOnRequestBody(id, []byte(`{"prompt":"Once`), false)
		pause(c.middle)
		if got := host.CallOnRequestBody(id, []byte(`","model":"llama"}`), true); got != types.ActionContinue {
			t.Errorf("%s: got action %v", c.name, got)
		}
		if got := header(host.GetCurrentRequestHeaders(id), "x-warmroute-cluster"); got != c.to {
			t.Errorf("%s: to the cluster %q, want %q", c.name, got, c.to)
		}
		if got := late(); got != c.late {
			t.Errorf("%s: %d went on without their model, want %d", c.name, got, c.late)
		}
		host.CompleteHttpContext(id)
	}
}

// A body that is longer than the proxy holds, with its model at the end, goes where requests without a model go, and says so.
func TestModelComesTooLate(t *testing.T) {
	host := emulate(t, `{"scan_bytes":65536,"response_header":"x-why","pools":[
		{"name":"llama","match":{"models":["llama"]},"endpoints":["10.0.1.1:80"],"steer":{"cluster":"llama"}},
		{"name":"rest","endpoints":["10.0.2.1:80"]}]}`)
	if status := host.StartPlugin(); status != types.OnPluginStartStatusOK {
		t.Fatalf("start: got %v, logs %v", status, host.GetCriticalLogs())
	}
	for i, c := range []struct{ length, to, why string }{{"1000000", "llama", ""}, {"1200000", "", ";why=no_model;"}} {
		id := host.InitializeHttpContext()
		host.CallOnRequestHeaders(id, append([][2]string{{"content-length", c.length}}, postHeaders...), false)
		host.CallOnRequestBody(id, []byte(`{"prompt":"`+strings.Repeat("word ", 60_000)), false)
		host.CallOnRequestBody(id, []byte(`","model":"llama"}`), true)
		if got := header(host.GetCurrentRequestHeaders(id), "x-warmroute-cluster"); got != c.to {
			t.Errorf("of %s bytes: to the cluster %q, want %q", c.length, got, c.to)
		}
		host.CallOnResponseHeaders(id, [][2]string{{":status", "200"}}, true)
		if got := header(host.GetCurrentResponseHeaders(id), "x-why"); !strings.Contains(got, c.why) || strings.Contains(got, "why=") != (c.why != "") {
			t.Errorf("of %s bytes: %q, want %q", c.length, got, c.why)
		}
		host.Tick()
		if n, err := host.GetCounterMetric("warmroute_late_model_total"); err != nil || n != uint64(i) {
			t.Errorf("of %s bytes: %d went on without their model (%v), want %d", c.length, n, err, i)
		}
		host.CompleteHttpContext(id)
	}
}
