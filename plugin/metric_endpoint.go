package main

import (
	"warmroute/plugin/pool"
	"warmroute/plugin/worker"
)

// atEndpoint is the metrics of one endpoint.
type atEndpoint struct {
	label  string // the endpoint's address, or otherEndpoints
	pool   string // its pool's name
	bound  *endpointBound
	arms   [len(worker.ArmNames)]*endpointArm
	gauges [numEndpointGauges]metric
	scrape metric
	errors metric
}

// endpointArm is what an endpoint's requests count, those of an experiment's arm apart. What a request adds waits for tell.
type endpointArm struct {
	counts   []family // by another label, each from its first count on
	rest     []string // values of the labels behind it
	ttft     metric
	prompt   total
	cached   total
	expected total
	bound    *endpointBound
	waits    bool // it is in bound.untold
}

func newAtEndpoint(address, pool string, bound *endpointBound) *atEndpoint {
	e := &atEndpoint{label: address, pool: pool, bound: bound, gauges: [numEndpointGauges]metric{noMetric, noMetric}, scrape: noMetric, errors: noMetric}
	e.of(worker.NoArm) // defined at once, so that an idle endpoint is shown
	return e
}

// of is what an arm's requests count; NoArm: those of all without an experiment.
func (e *atEndpoint) of(arm worker.Arm) *endpointArm {
	if e.arms[arm] == nil {
		rest := []string{e.label, worker.ArmNames[arm], e.pool}
		e.arms[arm] = &endpointArm{
			rest: rest, bound: e.bound,
			ttft: ttftMilliseconds.define(rest...), prompt: total{metric: promptTokensTotal.define(rest...)},
			cached: total{metric: cachedTokensTotal.define(rest...)}, expected: total{metric: expectedTokensTotal.define(rest...)},
		}
	}
	return e.arms[arm]
}

// count counts one of a metric whose second label is the endpoint, with the value of the first.
func (e *endpointArm) count(id metricID, value string) {
	e.wait()
	for i := range e.counts {
		if e.counts[i].id == id {
			e.counts[i].of(value).waits++
			return
		}
	}
	e.counts = append(e.counts, family{id: id, rest: e.rest})
	e.counts[len(e.counts)-1].of(value).waits++
}

// wait notes that something is to be told.
func (e *endpointArm) wait() {
	if !e.waits {
		e.waits = true
		e.bound.untold = append(e.bound.untold, e)
	}
}

// tell passes on what waits.
func (e *endpointArm) tell() {
	e.waits = false
	for i := range e.counts {
		e.counts[i].tell()
	}
	e.prompt.tell()
	e.cached.tell()
	e.expected.tell()
}

// usage counts the tokens of an answered prompt.
func (e *endpointArm) usage(prompt, cached, expected int) {
	e.wait()
	e.prompt.add(int64(prompt))
	e.cached.add(int64(cached))
	e.expected.add(int64(expected))
}

// endpointMetrics bounds how many endpoints have labels: the proxy never forgets a metric, and addresses come and go.
type endpointMetrics struct {
	pool    string // its name
	bound   *endpointBound
	by      map[string]*atEndpoint
	near    [64]nearEndpoint // by's latest, by hash: a map allocates at each look (TinyGo)
	others  int              // addresses in by that are counted in rest
	rest    *atEndpoint      // of all others; nil: there are none
	dropped metric
}

type nearEndpoint struct {
	address string
	at      *atEndpoint
}

// endpointBound is common to all pools: most endpoints have labels, n have one, and untold have counts that wait for tell.
type endpointBound struct {
	most, n int
	untold  []*endpointArm
}

// otherEndpoints is the label of those beyond the bound.
const otherEndpoints = "other"

// rememberedEndpoints bounds the addresses that are remembered, as a multiple of those that have labels. Further ones are
// not counted in endpointsDropped.
const rememberedEndpoints = 8

// at is where an endpoint's requests are counted; "" is that of requests whose endpoint is not known.
func (m *endpointMetrics) at(address string) *atEndpoint {
	hash := uint32(2166136261) // FNV-1a (Fowler, Noll, Vo 1991)
	for i := range len(address) {
		hash = (hash ^ uint32(address[i])) * 16777619
	}
	near := &m.near[hash%uint32(len(m.near))]
	if near.at == nil || near.address != address {
		near.address, near.at = address, m.find(address)
	}
	return near.at
}

func (m *endpointMetrics) find(address string) *atEndpoint {
	if e, ok := m.by[address]; ok {
		return e
	}
	if m.bound.n < m.bound.most || address == "" {
		e := newAtEndpoint(address, m.pool, m.bound)
		m.by[address] = e
		m.bound.n++
		return e
	}
	if m.rest == nil {
		m.rest = newAtEndpoint(otherEndpoints, m.pool, m.bound)
	}
	if m.others < (rememberedEndpoints-1)*m.bound.most {
		m.by[address] = m.rest
		m.others++
		m.dropped.record(uint64(m.others))
	}
	return m.rest
}

// endpointGauge is a gauge of what all workers share. One worker sets it for all: a worker that trapped would never
// subtract what it had added.
type endpointGauge int

const (
	gaugeInFlight endpointGauge = iota // requests in flight
	gaugeWaiting                       // prompt tokens that wait to be computed
	numEndpointGauges
)

var endpointGauges = [numEndpointGauges]metricID{gaugeInFlight: inFlight, gaugeWaiting: waitingPrefillTokens}

// show sets a gauge at all endpoints of a pool.
func (m *endpointMetrics) show(g endpointGauge, p *pool.Pool, now int64) {
	rest := 0.0
	for i := range p.Endpoints {
		n, e := float64(p.InFlight(i)), m.at(p.Endpoints[i].Address)
		if g == gaugeWaiting {
			n = p.ProxyQueue(i, now)
		}
		if e == m.rest {
			rest += n
			continue
		}
		e.show(g, n)
	}
	if m.rest != nil {
		m.rest.show(g, rest)
	}
}

func (e *atEndpoint) show(g endpointGauge, n float64) {
	if e.gauges[g] == noMetric {
		e.gauges[g] = endpointGauges[g].define(e.label, e.pool)
	}
	e.gauges[g].record(uint64(max(n, 0) + 0.5))
}

// outcomes are the names of pool.Ending.
var outcomes = [...]string{
	pool.Answered: "answered", pool.Cancelled: "cancelled", pool.Failed: "failed",
	pool.Refused: "refused", pool.TimedOut: "timed_out", pool.Broken: "broken",
}

// scraped records that the endpoint's metrics were read at a time in nanoseconds since 1970. The gauge is a time and not an
// age, because an age would stand still when scraping stops.
func (m *endpointMetrics) scraped(address string, at int64) {
	e := m.at(address)
	if e.scrape == noMetric {
		e.scrape = lastScrapeSeconds.define(e.label, e.pool)
	}
	e.scrape.record(uint64(at / 1e9))
}

// notScraped records that reading the endpoint's metrics failed.
func (m *endpointMetrics) notScraped(address string) {
	e := m.at(address)
	if e.errors == noMetric {
		e.errors = scrapeErrorsTotal.define(e.label, e.pool)
	}
	e.errors.add(1)
}

// left records that the endpoint has left the pool: the time of its last scrape becomes 0, whichever worker set it.
func (m *endpointMetrics) left(address string) {
	if e := m.by[address]; e != nil && e != m.rest {
		m.scraped(address, 0)
	}
}
