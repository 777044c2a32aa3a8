package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"warmroute/plugin/worker"
)

// A filter that goes leaves no requests in flight on its gauges: Envoy keeps them as they are, and a newer configuration may not
// have the endpoint.
func TestGaugesOfAFilterThatGoes(t *testing.T) {
	host := started(t)
	const inFlight = "endpoint=.=10.0.0.1:80;.;warmroute_in_flight"
	sum := func() (sum uint64) {
		for _, n := range []string{"1", "2", "3"} {
			got, _ := host.GetGaugeMetric(strings.Replace(inFlight, "0.1:", "0."+n+":", 1)) // 0: not defined
			sum += got
		}
		return sum
	}
	id := host.InitializeHttpContext()
	host.CallOnRequestHeaders(id, postHeaders, false)
	host.CallOnRequestBody(id, []byte(`{"prompt":"Once upon a time","model":"m"}`), true)
	host.Tick()
	if got := sum(); got != 1 {
		t.Fatalf("with a request: %d in flight, want 1", got)
	}
	host.CompleteHttpContext(id)
	host.FinishVM() // before the next tick
	if got := sum(); got != 0 {
		t.Errorf("the filter has gone: %d in flight, want 0", got)
	}
}

// What requests count waits for the next tick. A filter that ends has none: what waits is told at its end, and what its last requests
// count at theirs.
func TestCountsAreToldAtTheEnd(t *testing.T) {
	host := started(t)
	id := host.InitializeHttpContext()
	host.CallOnRequestHeaders(id, postHeaders, false)
	host.CallOnRequestBody(id, []byte(`{"prompt":"Once"}`), true)
	endpoint, _, _ := strings.Cut(header(host.GetCurrentRequestHeaders(id), "x-gateway-destination-endpoint"), ",")
	told := func(when, label, name string, want uint64) {
		t.Helper()
		if got, err := host.GetCounterMetric(label + ";.;endpoint=.=" + endpoint + ";.;" + name); err != nil || got != want {
			t.Errorf("%s: %s is %d (%v), want %d", when, name, got, err, want)
		}
	}
	told("before a tick", "reason=.=by_load", "warmroute_requests_total", 0)
	host.FinishVM()
	told("after the filter's end", "reason=.=by_load", "warmroute_requests_total", 1)
	if err := host.SetProperty([]string{"upstream", "address"}, []byte(endpoint)); err != nil {
		t.Fatal(err)
	}
	host.CallOnResponseHeaders(id, [][2]string{{":status", "200"}}, true)
	host.CompleteHttpContext(id)
	told("after its last request", "outcome=.=answered", "warmroute_answers_total", 1)
}

// What an experiment counts is told at the filter's end, too.
func TestAnExperimentsCountsAreToldAtTheEnd(t *testing.T) {
	host := emulate(t, `{"endpoints":["10.0.0.1:80"],"experiment":{"share":0.5,"policy":"round_robin"}}`)
	if host.StartPlugin() != types.OnPluginStartStatusOK {
		t.Fatal(host.GetCriticalLogs())
	}
	answers := func() (sum uint64) {
		for _, p := range []string{"arm=.=live;.;group=.=%d;.;policy=.=cache_aware", "arm=.=experiment;.;group=.=%d;.;policy=.=round_robin"} {
			for i := range worker.Groups {
				got, err := host.GetCounterMetric(fmt.Sprintf(p+";.;warmroute_experiment_answers_total", i))
				if err != nil {
					t.Fatal(err)
				}
				sum += got
			}
		}
		return sum
	}
	request := func() uint32 {
		id := host.InitializeHttpContext()
		host.CallOnRequestHeaders(id, postHeaders, false)
		host.CallOnRequestBody(id, []byte(`{"prompt":"Once upon a time","model":"m","user":"u"}`), true)
		return id
	}
	answer := func(id uint32) {
		host.CallOnResponseHeaders(id, [][2]string{{":status", "200"}, {"content-type", "application/json"}}, false)
		host.CallOnResponseBody(id, []byte(`{"usage":{"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":7}}}`), true)
		host.CompleteHttpContext(id)
	}
	first, last := request(), request()
	answer(first)
	host.FinishVM() // before the next tick
	if got := answers(); got != 1 {
		t.Errorf("the filter has gone: %d answers, want 1", got)
	}
	answer(last)
	if got := answers(); got != 2 {
		t.Errorf("its last request has ended: %d answers, want 2", got)
	}
}
