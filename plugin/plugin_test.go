package main

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/proxytest"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"warmroute/plugin/metrics"
	"warmroute/plugin/proxy"
)

const goodConfiguration = `{"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80"],"decide_timeout":"10ms","response_header":"x-why"}`

func emulate(t *testing.T, configuration string) proxytest.HostEmulator {
	t.Helper()
	opt := proxytest.NewEmulatorOption().WithVMContext(&vm{}).WithPluginConfiguration([]byte(configuration))
	host, reset := proxytest.NewHostEmulator(opt)
	t.Cleanup(reset) // one emulator at a time: reset lets the next one in
	return host
}

func started(t *testing.T) proxytest.HostEmulator {
	t.Helper()
	host := emulate(t, goodConfiguration)
	if status := host.StartPlugin(); status != types.OnPluginStartStatusOK {
		t.Fatalf("start: got %v, logs %v", status, host.GetCriticalLogs())
	}
	return host
}

func TestBadConfigurationStopsTheStart(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"policy":"hash","endpoints":["10.0.0.1:80"]}`, "policy:"},
		{`{"endpoints":[]}`, "endpoints:"},
		{`{"endpoints":["10.0.0.1"]}`, "endpoints[0]"},
		{`{"endpoints":["10.0.0.1:80"],"prefix_hash":{"load_factor":0.5}}`, "prefix_hash.load_factor:"},
		{"\n\x10\n\x06policy\x12\x06\x1a\x04hash", "google.protobuf.StringValue"},
		{``, "endpoints"},
	} {
		t.Run(c.want, func(t *testing.T) { refuses(t, c.text, c.want) })
	}
}

func refuses(t *testing.T, text, want string) {
	host := emulate(t, text)
	if status := host.StartPlugin(); status != types.OnPluginStartStatusFailed {
		t.Errorf("%q: got status %v, want a failed start", text, status)
	}
	if logs := strings.Join(host.GetCriticalLogs(), "\n"); !strings.Contains(logs, want) {
		t.Errorf("%q: the log says %q, want %q", text, logs, want)
	}
}

var postHeaders = [][2]string{
	{":method", "POST"}, {":path", "/v1/completions"}, {"content-type", "application/json"},
	{"x-gateway-destination-endpoint", "10.9.9.9:80"}, {"x-warmroute-cluster", "other"},
}

func header(headers [][2]string, name string) string {
	for _, h := range headers {
		if h[0] == name {
			return h[1]
		}
	}
	return ""
}

func TestRequestIsHeldAndSteered(t *testing.T) {
	host := started(t)
	id := host.InitializeHttpContext()
	if got := host.CallOnRequestHeaders(id, postHeaders, false); got != types.ActionPause {
		t.Fatalf("headers: got action %v, want pause", got)
	}
	if got := host.CallOnRequestBody(id, []byte(`{"prompt":"Once upon`), false); got != types.ActionPause {
		t.Errorf("half a body: got action %v, want pause", got)
	}
	if got := host.CallOnRequestBody(id, []byte(` a time","model":"m"}`), true); got != types.ActionContinue {
		t.Errorf("the whole body: got action %v, want continue", got)
	}
	headers := host.GetCurrentRequestHeaders(id)
	endpoints := strings.Split(header(headers, "x-gateway-destination-endpoint"), ",")
	if len(endpoints) != 3 || endpoints[0] == "10.9.9.9:80" {
		t.Errorf("steering header: got %v, want three of the pool", endpoints)
	}
	if got := header(headers, "x-warmroute-cluster"); got != "" {
		t.Errorf("a forged cluster header stays: %q", got)
	}
	host.CallOnResponseHeaders(id, [][2]string{{":status", "200"}, {"content-type", "application/json"}}, false)
	if got := header(host.GetCurrentResponseHeaders(id), "x-why"); !strings.Contains(got, "endpoint="+endpoints[0]) {
		t.Errorf("response header: got %q, want the endpoint %s", got, endpoints[0])
	}
	host.CompleteHttpContext(id)
}

// The proxy says that a body has ended in a call of its own. Where the content-length says it before, nothing waits for that.
func TestBodyOfAnnouncedLength(t *testing.T) {
	host := started(t)
	id := host.InitializeHttpContext()
	first, rest := `{"prompt":"Once upon`, ` a time","model":"m"}`
	announced := append([][2]string{{"content-length", strconv.Itoa(len(first) + len(rest))}}, postHeaders...)
	for i, c := range []struct {
		got, want types.Action
	}{
		{host.CallOnRequestHeaders(id, announced, false), types.ActionPause},
		{host.CallOnRequestBody(id, []byte(first), false), types.ActionPause},
		{host.CallOnRequestBody(id, []byte(rest), false), types.ActionContinue},
		{host.CallOnRequestBody(id, nil, true), types.ActionContinue},
	} {
		if c.got != c.want {
			t.Errorf("call %d: got action %v, want %v", i, c.got, c.want)
		}
	}
	if got := header(host.GetCurrentRequestHeaders(id), "x-gateway-destination-endpoint"); !strings.HasPrefix(got, "10.0.0.") {
		t.Errorf("the endpoint's header is %q, want one of ours", got)
	}
}

// A client that leaves at a stream's last event, as the official packages do, has had the answer, and its usage counts; one
// that leaves before has not.
func TestClientLeavesAtTheLastEvent(t *testing.T) {
	host := started(t)
	const usage = `data: {"usage":{"prompt_tokens":40,"prompt_tokens_details":{"cached_tokens":32}}}` + "\n\n"
	for i, events := range []string{usage, usage + "data: [DONE]\n\n"} {
		id := host.InitializeHttpContext()
		host.CallOnRequestHeaders(id, postHeaders, false)
		host.CallOnRequestBody(id, []byte(`{"prompt":"Once upon a time","model":"m","stream":true,"stream_options":{"include_usage":true}}`), true)
		host.CallOnResponseHeaders(id, [][2]string{{":status", "200"}, {"content-type", "text/event-stream"}}, false)
		host.CallOnResponseBody(id, []byte(events), false)
		host.CompleteHttpContext(id)
		decision, err := host.GetProperty([]string{"warmroute"})
		if got := strings.Contains(string(decision), "cached_tokens=32"); err != nil || got != (i == 1) {
			t.Errorf("after %q: %s (%v)", events, decision, err)
		}
	}
}

// Where a property carries the choice, the buffer filter holds requests, on the routes that have one: not the module, which
// would make Envoy's own limit, a 413, hold for all others.
func TestPropertyHoldsNothing(t *testing.T) {
	host := emulate(t, `{"endpoints":["10.0.0.1:80","10.0.0.2:80"],"steer":{"via":"property"}}`)
	if status := host.StartPlugin(); status != types.OnPluginStartStatusOK {
		t.Fatalf("start: got %v, logs %v", status, host.GetCriticalLogs())
	}
	id := host.InitializeHttpContext()
	if got := host.CallOnRequestHeaders(id, postHeaders, false); got != types.ActionContinue {
		t.Errorf("headers: got action %v, want continue", got)
	}
	for i, part := range []string{`{"model":"m","pro`, `mpt":"Once upon`, ` a time"}`} {
		if got := host.CallOnRequestBody(id, []byte(part), i == 2); got != types.ActionContinue {
			t.Errorf("part %d: got action %v, want continue", i, got)
		}
	}
	decision, err := host.GetProperty([]string{"warmroute"})
	if err != nil || !strings.Contains(string(decision), "reason=by_load") || strings.Contains(string(decision), "why=") {
		t.Errorf("decision %q (%v), want one by a prompt that nobody holds", decision, err)
	}
	host.CompleteHttpContext(id)
}

// clock stands in for the proxy's, at a time that the test sets.
func clock(t *testing.T) *int64 {
	proxys, at := proxy.Now, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
	proxy.Now = func() int64 { return at }
	t.Cleanup(func() { proxy.Now = proxys })
	return &at
}

// decideTimeout is that of goodConfiguration, in nanoseconds. A tick within the last half of it resumes the request.
const decideTimeout = 10e6

func TestStalledRequestGoesOnUnrouted(t *testing.T) {
	at := clock(t)
	host := started(t)
	id := host.InitializeHttpContext()
	host.CallOnRequestHeaders(id, postHeaders, false)
	for _, after := range []int64{0, decideTimeout/2 - 1} {
		*at += after
		host.Tick()
		if got := host.GetCurrentHttpStreamAction(id); got != types.ActionPause {
			t.Fatalf("%d ns before the last tick within the timeout: got action %v, want pause", decideTimeout/2-after, got)
		}
	}
	*at += decideTimeout / 2
	host.Tick()
	if got := host.GetCurrentHttpStreamAction(id); got != types.ActionContinue {
		t.Errorf("at the timeout: got action %v, want continue", got)
	}
	if logs := strings.Join(host.GetWarnLogs(), "\n"); !strings.Contains(logs, "allow_on_headers_stop_iteration: true") {
		t.Errorf("the warning is %q; it does not name the setting", logs)
	}
	if n, err := host.GetCounterMetric("reason=.=stalled;.;warmroute_passed_total"); err != nil || n != 1 {
		t.Errorf("%d requests (%v) are counted as stalled, want 1", n, err)
	}
	host.CompleteHttpContext(id)
}

// Once it is clear that bodies are never shown, requests are no longer held.
func TestBlindProxyIsNotWaitedFor(t *testing.T) {
	at := clock(t)
	host := started(t)
	for i := range silentLimit {
		id := host.InitializeHttpContext()
		if got := host.CallOnRequestHeaders(id, postHeaders, false); got != types.ActionPause {
			t.Fatalf("request %d: got action %v, want pause", i, got)
		}
		*at += decideTimeout
		host.Tick()
	}
	id := host.InitializeHttpContext()
	if got := host.CallOnRequestHeaders(id, postHeaders, false); got != types.ActionContinue {
		t.Errorf("after %d silent stalls: got action %v, want continue", silentLimit, got)
	}
	if got := header(host.GetCurrentRequestHeaders(id), "x-gateway-destination-endpoint"); got == "" || strings.HasPrefix(got, "10.9.9.9") {
		t.Errorf("it is routed to %q, want by load", got)
	}
}

func TestOthersPass(t *testing.T) {
	host := started(t)
	for _, path := range []string{"/v1/models", "/", "/v1/chat/completionsx"} {
		id := host.InitializeHttpContext()
		headers := [][2]string{{":method", "POST"}, {":path", path}, {"content-type", "application/json"}}
		if got := host.CallOnRequestHeaders(id, headers, false); got != types.ActionContinue {
			t.Errorf("%s: got action %v, want continue", path, got)
		}
		host.CompleteHttpContext(id)
	}
}

// An answer ends once, whatever else comes behind its end: it is counted once, with the usage that it told.
func TestBehindTheEnd(t *testing.T) {
	host := started(t)
	id := host.InitializeHttpContext()
	host.CallOnRequestHeaders(id, postHeaders, false)
	host.CallOnRequestBody(id, []byte(`{"prompt":"Once"}`), true)
	endpoint, _, _ := strings.Cut(header(host.GetCurrentRequestHeaders(id), "x-gateway-destination-endpoint"), ",")
	if err := host.SetProperty([]string{"upstream", "address"}, []byte(endpoint)); err != nil {
		t.Fatal(err)
	}
	host.CallOnResponseHeaders(id, [][2]string{{":status", "200"}, {"content-type", "application/json"}}, false)
	host.CallOnResponseBody(id, []byte(`{"usage":{"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":7}}}`), true)
	want, _ := host.GetProperty([]string{"warmroute"})
	behind := []func(){
		func() {
			host.CallOnResponseBody(id, []byte(`{"usage":{"prompt_tokens":90,"prompt_tokens_details":{"cached_tokens":70}}}`), true)
		},
		func() { host.CallOnResponseHeaders(id, [][2]string{{":status", "503"}}, true) },
		func() { host.CallOnResponseTrailers(id, [][2]string{{"a", "b"}}) },
		func() { host.CompleteHttpContext(id) },
	}
	for step := -1; step < len(behind); step++ {
		if step >= 0 {
			behind[step]()
		}
		host.Tick()
		for name, want := range map[string]uint64{
			"outcome=.=answered;.;endpoint=.=" + endpoint + ";.;warmroute_answers_total": 1,
			"endpoint=.=" + endpoint + ";.;warmroute_prompt_tokens_total":                9,
			"endpoint=.=" + endpoint + ";.;warmroute_cached_tokens_total":                7,
		} {
			if got, err := host.GetCounterMetric(name); err != nil || got != want {
				t.Errorf("after step %d behind the end: %s is %d (%v), want %d", step, name, got, err, want)
			}
		}
		for _, outcome := range metrics.Outcomes {
			if _, err := host.GetCounterMetric("outcome=.=" + outcome + ";.;endpoint=.=" + endpoint + ";.;warmroute_answers_total"); outcome != "answered" && err == nil {
				t.Errorf("after step %d behind the end it is counted as %s too", step, outcome)
			}
		}
		if got, _ := host.GetProperty([]string{"warmroute"}); string(got) != string(want) {
			t.Errorf("after step %d behind the end the decision is %q, want %q", step, got, want)
		}
	}
	host.Tick()
	for _, e := range []string{"10.0.0.1:80", "10.0.0.2:80", "10.0.0.3:80"} {
		if got, err := host.GetGaugeMetric("endpoint=.=" + e + ";.;warmroute_in_flight"); err != nil || got != 0 {
			t.Errorf("%d requests (%v) are in flight at %s, want none", got, err, e)
		}
	}
}
