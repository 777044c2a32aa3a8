package main

import "warmroute/plugin/pool"

// atEndpoint is the metrics of one endpoint. Its histograms are defined at once, so that an idle endpoint is shown.
type atEndpoint struct {
	label    string   // the endpoint's address, or otherEndpoints
	counts   []family // by endpoint and another label, each from its first count on
	inFlight metric
	ttft     metric
	prompt   metric
	cached   metric
	expected metric
	scrape   metric
	errors   metric
}

func newAtEndpoint(address string) *atEndpoint {
	return &atEndpoint{
		label:    address,
		inFlight: noMetric,
		ttft:     ttftMilliseconds.define(address),
		prompt:   promptTokensTotal.define(address),
		cached:   cachedTokensTotal.define(address),
		expected: expectedTokensTotal.define(address),
		scrape:   noMetric,
		errors:   noMetric,
	}
}

// count counts one of a metric whose second label is the endpoint, with the value of the first.
func (e *atEndpoint) count(id metricID, value string) {
	for i := range e.counts {
		if e.counts[i].id == id {
			e.counts[i].add(value)
			return
		}
	}
	e.counts = append(e.counts, family{id: id, second: e.label})
	e.counts[len(e.counts)-1].add(value)
}

// usage counts the tokens of an answered prompt.
func (e *atEndpoint) usage(prompt, cached, expected int) {
	e.prompt.add(int64(prompt))
	e.cached.add(int64(cached))
	e.expected.add(int64(expected))
}

// endpointMetrics bounds how many endpoints have labels: the proxy never forgets a metric, and addresses come and go.
type endpointMetrics struct {
	most int
	by   map[string]*atEndpoint
	rest *atEndpoint // of all others; nil: there are none
}

// otherEndpoints is the label of those beyond the bound.
const otherEndpoints = "other"

// rememberedEndpoints bounds the addresses that are remembered, as a multiple of those that have labels. Further ones are
// not counted in endpointsDropped.
const rememberedEndpoints = 8

// at is where an endpoint's requests are counted; "" is that of requests whose endpoint is not known.
func (m *metrics) at(address string) *atEndpoint {
	if e, ok := m.by[address]; ok {
		return e
	}
	if len(m.by) < m.most || address == "" {
		e := newAtEndpoint(address)
		m.by[address] = e
		return e
	}
	if m.rest == nil {
		m.rest = newAtEndpoint(otherEndpoints)
	}
	if len(m.by) < rememberedEndpoints*m.most {
		m.by[address] = m.rest
		m.dropped.record(uint64(len(m.by) - m.most))
	}
	return m.rest
}

// showInFlight shows the requests in flight, of all workers. One worker sets the gauge for all, from what they share: a
// worker that trapped would never subtract what it had added.
func (m *metrics) showInFlight(p *pool.Pool) {
	rest := 0
	for i := range p.Endpoints {
		n, e := p.InFlight(i), m.at(p.Endpoints[i].Address)
		if e == m.rest {
			rest += n
			continue
		}
		e.show(n)
	}
	if m.rest != nil {
		m.rest.show(rest)
	}
}

func (e *atEndpoint) show(n int) {
	if e.inFlight == noMetric {
		e.inFlight = inFlight.define(e.label)
	}
	e.inFlight.record(uint64(n))
}

// outcomes are the names of pool.Ending.
var outcomes = [...]string{
	pool.Answered: "answered", pool.Cancelled: "cancelled", pool.Failed: "failed",
	pool.Refused: "refused", pool.TimedOut: "timed_out", pool.Broken: "broken",
}

// scraped records that the endpoint's metrics were read at a time in nanoseconds since 1970. The gauge is a time and not an
// age, because an age would stand still when scraping stops.
func (m *metrics) scraped(address string, at int64) {
	e := m.at(address)
	if e.scrape == noMetric {
		e.scrape = lastScrapeSeconds.define(e.label)
	}
	e.scrape.record(uint64(at / 1e9))
}

// notScraped records that reading the endpoint's metrics failed.
func (m *metrics) notScraped(address string) {
	e := m.at(address)
	if e.errors == noMetric {
		e.errors = scrapeErrorsTotal.define(e.label)
	}
	e.errors.add(1)
}

// left records that the endpoint has left the pool: the time of its last scrape becomes 0, whichever worker set it.
func (m *metrics) left(address string) {
	if e := m.by[address]; e != nil && e != m.rest {
		m.scraped(address, 0)
	}
}

// sizeMetrics are gauges of the pool, defined when it is first known.
type sizeMetrics struct {
	defined               bool
	known, down, draining metric
}

// decided notes a decision that took a time in nanoseconds.
func (m *metrics) decided(took int64) {
	m.decision.record(uint64(max(took, 0) / 1e3))
	m.active = true
}

// showPool shows how many endpoints there are, and how many of them are down and draining, as this worker sees it. Each
// worker judges by the responses it has seen, so one that has decided nothing since the last call sets nothing.
func (m *metrics) showPool(p *pool.Pool) {
	if !m.active {
		return
	}
	m.active = false
	s := &m.size
	if !s.defined {
		*s = sizeMetrics{true, endpointsKnown.define(), endpointsDown.define(), endpointsDraining.define()}
	}
	var down, draining uint64
	for i := range p.Endpoints {
		if !p.Present(i) {
			m.left(p.Endpoints[i].Address)
		} else if p.Down(i) {
			down++
		} else if p.Draining(i) {
			draining++
		}
	}
	s.known.record(uint64(p.Size()))
	s.down.record(down)
	s.draining.record(draining)
}

// discovered notes that the list of endpoints was read at a time in nanoseconds since 1970; 0: that it failed.
func (m *metrics) discovered(at int64) {
	if at == 0 {
		m.discoveryErrors.add(1)
		return
	}
	m.discovery.record(uint64(at / 1e9))
}
