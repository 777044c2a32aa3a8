package main

import "warmroute/plugin/route"

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
	router  *route.Router
	ends    []endMetrics      // by endpoint
	passed  map[string]metric // by why
	removed metric
}

// endMetrics are those of one endpoint, defined at its first use.
type endMetrics struct {
	address  string
	requests map[string]metric // by reason, each defined at its first use: most never occur
	inFlight metric
	ttft     metric
	prompt   metric
	cached   metric
}

func label(name, value string) string { return name + "=.=" + value + ";.;" }

func newMetrics(r *route.Router) *metrics {
	m := &metrics{
		router:  r,
		passed:  make(map[string]metric),
		removed: defineMetric(counter, "warmroute_removed_headers_total"),
	}
	for i := range r.Endpoints {
		m.of(i)
	}
	return m
}

// of is the metrics of endpoint i. The index may have been another endpoint's before.
func (m *metrics) of(i int) *endMetrics {
	for len(m.ends) <= i {
		m.ends = append(m.ends, endMetrics{})
	}
	e, address := &m.ends[i], m.router.Endpoints[i].Address
	if e.address == address {
		return e
	}
	at := "." + label("endpoint", address)
	*e = endMetrics{
		address:  address,
		requests: make(map[string]metric),
		inFlight: defineMetric(gauge, "warmroute_in_flight"+at),
		ttft:     defineMetric(histogram, "warmroute_ttft_milliseconds"+at),
		prompt:   defineMetric(counter, "warmroute_prompt_tokens_total"+at),
		cached:   defineMetric(counter, "warmroute_cached_tokens_total"+at),
	}
	return e
}

func (m *metrics) steered(endpoint int, reason route.Reason) {
	e, name := m.of(endpoint), reason.String()
	c, ok := e.requests[name]
	if !ok {
		c = defineMetric(counter, "warmroute_requests_total."+label("reason", name)+label("endpoint", e.address))
		e.requests[name] = c
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

func (m *metrics) moved(endpoint int, by int64)         { m.of(endpoint).inFlight.add(by) }
func (m *metrics) firstByte(endpoint int, millis int64) { m.of(endpoint).ttft.record(uint64(millis)) }
func (m *metrics) removedHeader()                       { m.removed.add(1) }

func (m *metrics) usage(endpoint, prompt, cached int) {
	m.of(endpoint).prompt.add(int64(prompt))
	m.of(endpoint).cached.add(int64(cached))
}
