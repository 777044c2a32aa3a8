package main

import (
	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"

	"warmroute/plugin/config"
	"warmroute/plugin/route"
)

// Metrics carry their labels in their names, as `name.label=.=value;.;`: Envoy's stats_tags and Istio's
// extraStatTags cut them out again (examples/envoy has the expressions).
//
//	warmroute_requests_total{reason,endpoint}  counter: requests steered
//	warmroute_passed_total{why}                counter: requests passed on unsteered
//	warmroute_in_flight{endpoint}              gauge: steered requests whose stream has not ended
//	warmroute_ttft_milliseconds{endpoint}      histogram: decision to first response body byte
//	warmroute_prompt_tokens_total{endpoint}    counter: prompt tokens, as the replicas report them
//	warmroute_cached_tokens_total{endpoint}    counter: those of them that came from a prefix cache
//	warmroute_removed_headers_total            counter: steering headers that clients had sent
type metrics struct {
	endpoints []config.Endpoint
	requests  [][]lazyCounter // by endpoint and reason
	passed    map[string]proxywasm.MetricCounter
	inFlight  []proxywasm.MetricGauge
	ttft      []proxywasm.MetricHistogram
	prompt    []proxywasm.MetricCounter
	cached    []proxywasm.MetricCounter
	removed   proxywasm.MetricCounter
}

// lazyCounter is defined at its first use: most pairs of endpoint and reason never occur.
type lazyCounter struct {
	metric  proxywasm.MetricCounter
	defined bool
}

func label(name, value string) string { return name + "=.=" + value + ";.;" }

func newMetrics(endpoints []config.Endpoint) *metrics {
	m := &metrics{
		endpoints: endpoints,
		passed:    make(map[string]proxywasm.MetricCounter),
		removed:   proxywasm.DefineCounterMetric("warmroute_removed_headers_total"),
	}
	for _, e := range endpoints {
		at := "." + label("endpoint", e.Address)
		m.requests = append(m.requests, make([]lazyCounter, len(route.Reasons)))
		m.inFlight = append(m.inFlight, proxywasm.DefineGaugeMetric("warmroute_in_flight"+at))
		m.ttft = append(m.ttft, proxywasm.DefineHistogramMetric("warmroute_ttft_milliseconds"+at))
		m.prompt = append(m.prompt, proxywasm.DefineCounterMetric("warmroute_prompt_tokens_total"+at))
		m.cached = append(m.cached, proxywasm.DefineCounterMetric("warmroute_cached_tokens_total"+at))
	}
	return m
}

func (m *metrics) steered(endpoint int, reason route.Reason) {
	c := &m.requests[endpoint][reason]
	if !c.defined {
		c.metric = proxywasm.DefineCounterMetric("warmroute_requests_total." +
			label("reason", reason.String()) + label("endpoint", m.endpoints[endpoint].Address))
		c.defined = true
	}
	c.metric.Increment(1)
}

func (m *metrics) pass(why string) {
	c, ok := m.passed[why]
	if !ok {
		c = proxywasm.DefineCounterMetric("warmroute_passed_total." + label("why", why))
		m.passed[why] = c
	}
	c.Increment(1)
}

func (m *metrics) moved(endpoint int, by int64)         { m.inFlight[endpoint].Add(by) }
func (m *metrics) firstByte(endpoint int, millis int64) { m.ttft[endpoint].Record(uint64(millis)) }
func (m *metrics) removedHeader()                       { m.removed.Increment(1) }
func (m *metrics) usage(endpoint, prompt, cached int) {
	count(m.prompt[endpoint], prompt)
	count(m.cached[endpoint], cached)
}

// count adds n to a counter. Envoy refuses to add 0 as a bad argument, and the SDK panics at that.
func count(c proxywasm.MetricCounter, n int) {
	if n > 0 {
		c.Increment(uint64(n))
	}
}
