package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/proxytest"
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"
)

// A request names its rank, whatever its client wrote there; without ranks the header is none of ours.
func TestRankHeader(t *testing.T) {
	for _, c := range []struct{ configuration, path, body, want string }{
		{`{"data_parallel_ranks":8,"endpoints":["10.0.0.1:80","10.0.0.2:80"]}`, "/v1/completions", `{"prompt":"Once upon a time","model":"m"}`, "01234567"},
		{`{"data_parallel_ranks":8,"endpoints":["10.0.0.1:80","10.0.0.2:80"]}`, "/v1/completions", `{broken`, "01234567"},
		{`{"data_parallel_ranks":8,"endpoints":["10.0.0.1:80","10.0.0.2:80"]}`, "/other", `{}`, ""},
		{`{"endpoints":["10.0.0.1:80","10.0.0.2:80"]}`, "/v1/completions", `{"prompt":"Once upon a time","model":"m"}`, "99"},
		{`{"pools":[{"name":"a","data_parallel_ranks":8,"endpoints":["10.0.0.1:80"]}]}`, "/v1/completions", `{"prompt":"Once upon a time","model":"m"}`, "01234567"},
	} {
		t.Run(c.configuration+" "+c.path, func(t *testing.T) {
			host := emulate(t, c.configuration)
			if status := host.StartPlugin(); status != types.OnPluginStartStatusOK {
				t.Fatalf("start: got %v, logs %v", status, host.GetCriticalLogs())
			}
			id := host.InitializeHttpContext()
			host.CallOnRequestHeaders(id, [][2]string{{":method", "POST"}, {":path", c.path}, {"content-type", "application/json"}, {"x-data-parallel-rank", "99"}}, false)
			host.CallOnRequestBody(id, []byte(c.body), true)
			headers := host.GetCurrentRequestHeaders(id)
			got := header(headers, "x-data-parallel-rank")
			if !strings.Contains(c.want, got) || (got == "") != (c.want == "") {
				t.Errorf("rank %q, want one of %q", got, c.want)
			}
			if to := header(headers, "x-gateway-destination-endpoint"); strings.Contains(to, "#") {
				t.Errorf("steered to %s", to)
			}
			host.CompleteHttpContext(id)
		})
	}
}

// A server is asked for its metrics once, and is shown as its first rank: an endpoint of its own address alone there is none.
func TestRanksInMetrics(t *testing.T) {
	host := emulate(t, `{"data_parallel_ranks":2,"endpoints":["10.0.0.1:80"],"scrape":{"cluster":"vllm"}}`)
	if status := host.StartPlugin(); status != types.OnPluginStartStatusOK {
		t.Fatalf("start: got %v, logs %v", status, host.GetCriticalLogs())
	}
	const scraped = "endpoint=.=10.0.0.1:80%s;.;warmroute_last_scrape_timestamp_seconds"
	host.Tick()
	asks := host.GetCalloutAttributesFromContext(proxytest.PluginContextID)
	if len(asks) != 1 {
		t.Fatalf("%d calls for the metrics of one server", len(asks))
	}
	page := "vllm:num_requests_running{engine=\"0\"} 1\nvllm:num_requests_running{engine=\"1\"} 2\n"
	host.CallOnHttpCallResponse(asks[0].CalloutID, [][2]string{{":status", "200"}}, nil, []byte(page))
	if at, err := host.GetGaugeMetric(fmt.Sprintf(scraped, "#0")); err != nil || at == 0 {
		t.Errorf("the first rank's metrics were read at %d (%v)", at, err)
	}
	if _, err := host.GetGaugeMetric(fmt.Sprintf(scraped, "")); err == nil {
		t.Error("the server counts as an endpoint beside its ranks")
	}
}
