package main

import (
	"warmroute/plugin/config"
	"warmroute/plugin/route"
)

// metric is a metric of the proxy; noMetric is one that it refused, and ignores what it is told.
type metric uint32

const noMetric = ^metric(0)

// metricKind is as in proxy-wasm 0.2.1.
type metricKind uint32

const (
	counter metricKind = iota
	gauge
	histogram
)

// Metrics carry their labels in their names, as `name.label=.=value;.;`: Envoy's stats_tags and Istio's
// extraStatTags cut them out again (examples/envoy has the expressions).
//
//	warmroute_requests_total{reason,endpoint}  counter: requests steered
//	warmroute_passed_total{why}                counter: requests passed on unsteered
//	warmroute_in_flight{endpoint}              gauge: steered requests whose stream has not ended
//	warmroute_ttft_milliseconds{endpoint}      histogram: decision to first byte of an SSE answer
//	warmroute_prompt_tokens_total{endpoint}    counter: prompt tokens, as the replicas report them
//	warmroute_cached_tokens_total{endpoint}    counter: those of them that came from a prefix cache
//	warmroute_removed_headers_total            counter: steering headers that clients had sent
type metrics struct {
	endpoints []config.Endpoint
	requests  []map[string]metric // by endpoint and reason, each defined at its first use: most never occur
	passed    map[string]metric   // by why
	inFlight  []metric
	ttft      []metric
	prompt    []metric
	cached    []metric
	removed   metric
}

func label(name, value string) string { return name + "=.=" + value + ";.;" }

func newMetrics(endpoints []config.Endpoint) *metrics {
	m := &metrics{
		endpoints: endpoints,
		passed:    make(map[string]metric),
		removed:   defineMetric(counter, "warmroute_removed_headers_total"),
	}
	for _, e := range endpoints {
		at := "." + label("endpoint", e.Address)
		m.requests = append(m.requests, make(map[string]metric))
		m.inFlight = append(m.inFlight, defineMetric(gauge, "warmroute_in_flight"+at))
		m.ttft = append(m.ttft, defineMetric(histogram, "warmroute_ttft_milliseconds"+at))
		m.prompt = append(m.prompt, defineMetric(counter, "warmroute_prompt_tokens_total"+at))
		m.cached = append(m.cached, defineMetric(counter, "warmroute_cached_tokens_total"+at))
	}
	return m
}

func (m *metrics) steered(endpoint int, reason route.Reason) {
	name := reason.String()
	c, ok := m.requests[endpoint][name]
	if !ok {
		c = defineMetric(counter, "warmroute_requests_total."+label("reason", name)+label("endpoint", m.endpoints[endpoint].Address))
		m.requests[endpoint][name] = c
	}
	c.add(1)
}

func (m *metrics) pass(why string) {
	c, ok := m.passed[why]
	if !ok {
		c = defineMetric(counter, "warmroute_passed_total."+label("why", why))
		m.passed[why] = c
	}
	c.add(1)
}

func (m *metrics) moved(endpoint int, by int64)         { m.inFlight[endpoint].add(by) }
func (m *metrics) firstByte(endpoint int, millis int64) { m.ttft[endpoint].record(uint64(millis)) }
func (m *metrics) removedHeader()                       { m.removed.add(1) }

func (m *metrics) usage(endpoint, prompt, cached int) {
	m.prompt[endpoint].add(int64(prompt))
	m.cached[endpoint].add(int64(cached))
}
