package metrics

import (
	"warmroute/plugin/health"
	"warmroute/plugin/pool"
	"warmroute/plugin/worker"
)

// Endpoint is the metrics of one endpoint.
type Endpoint struct {
	label  string // the endpoint's address, or otherEndpoints
	pool   string // its pool's name
	bound  *endpointBound
	arms   [len(worker.ArmNames)]*Requests
	gauges [numEndpointGauges]metric
	scrape metric
	errors metric
	outage outage
}

// Requests is what an endpoint's requests count, those of an experiment's arm apart. What a request adds waits for flush, but for
// the time to its first token.
type Requests struct {
	counts   []family // by another label, each from its first count on
	rest     []string // values of the labels behind it
	ttft     metric
	prompt   total
	cached   total
	expected total
	bound    *endpointBound
	waits    bool // it is in bound.unflushed
}

func newEndpoint(address, pool string, bound *endpointBound) *Endpoint {
	e := &Endpoint{label: address, pool: pool, bound: bound}
	e.Of(worker.NoArm) // defined at once, so that an idle endpoint is shown
	return e
}

// Of is what an arm's requests count; NoArm: those of all without an experiment.
func (e *Endpoint) Of(arm worker.Arm) *Requests {
	if e.arms[arm] == nil {
		rest := []string{e.label, worker.ArmNames[arm], e.pool}
		e.arms[arm] = &Requests{
			rest: rest, bound: e.bound,
			ttft: ttftMilliseconds.define(rest...), prompt: total{metric: promptTokensTotal.define(rest...)},
			cached: total{metric: cachedTokensTotal.define(rest...)}, expected: total{metric: expectedTokensTotal.define(rest...)},
		}
	}
	return e.arms[arm]
}

// Steered counts a request that is steered there, by the decision's reason.
func (e *Requests) Steered(reason string) { e.count(requestsTotal, reason) }

// Ended counts a steered request that has ended.
func (e *Requests) Ended(how health.Ending) { e.count(answersTotal, Outcomes[how]) }

// FirstToken records the time to a request's first token, in nanoseconds.
func (e *Requests) FirstToken(ttft int64) { e.ttft.record(uint64(ttft / 1e6)) }

// count counts one of a metric whose second label is the endpoint, with the value of the first.
func (e *Requests) count(id metricID, value string) {
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

// wait notes that something is to be flushed.
func (e *Requests) wait() {
	if !e.waits {
		e.waits = true
		e.bound.unflushed = append(e.bound.unflushed, e)
	}
}

// flush passes on what waits.
func (e *Requests) flush() {
	e.waits = false
	for i := range e.counts {
		e.counts[i].flush()
	}
	e.prompt.flush()
	e.cached.flush()
	e.expected.flush()
}

// Usage counts the tokens of an answered prompt: all of them, those that came from the endpoint's cache, and those that were expected to.
func (e *Requests) Usage(prompt, cached, expected int) {
	e.wait()
	e.prompt.add(int64(prompt))
	e.cached.add(int64(cached))
	e.expected.add(int64(expected))
}

// endpoints bounds how many endpoints have labels: the proxy never forgets a metric, and addresses come and go.
type endpoints struct {
	pool    string // its name
	bound   *endpointBound
	by      map[string]*Endpoint
	near    [64]nearEndpoint // by's latest, by hash: a map allocates at each look (TinyGo)
	others  int              // addresses in by that are counted in rest
	down    []*Endpoint      // that are shown to be down
	looks   uint32           // of showOutages
	rest    *Endpoint        // of all others; nil: there are none
	dropped metric
}

type nearEndpoint struct {
	address string
	at      *Endpoint
}

// endpointBound is common to all pools of a worker: most endpoints have labels, and unflushed have counts that wait for flush.
type endpointBound struct {
	most      int
	labels    labels
	unflushed []*Requests
}

// otherEndpoints is the label of those beyond the bound.
const otherEndpoints = "other"

// rememberedEndpoints bounds the addresses that are remembered, as a multiple of those that have labels. Further ones are
// not counted in endpointsDropped.
const rememberedEndpoints = 8

// At is where an endpoint's requests are counted; "" is that of requests whose endpoint is not known.
func (m *endpoints) At(address string) *Endpoint {
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

func (m *endpoints) find(address string) *Endpoint {
	if e, ok := m.by[address]; ok {
		return e
	}
	if m.bound.labels.take(m.pool, address, m.bound.most) || address == "" {
		e := newEndpoint(address, m.pool, m.bound)
		m.by[address] = e
		return e
	}
	if m.rest == nil {
		m.rest = newEndpoint(otherEndpoints, m.pool, m.bound)
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
func (m *endpoints) show(g endpointGauge, p *pool.Pool, now int64) {
	rest := 0.0
	for i := range p.Endpoints {
		n, e := float64(p.InFlight(i)), m.At(p.Endpoints[i].Address)
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

func (e *Endpoint) show(g endpointGauge, n float64) {
	if e.gauges[g] == 0 {
		e.gauges[g] = endpointGauges[g].define(e.label, e.pool)
	}
	e.gauges[g].record(uint64(max(n, 0) + 0.5))
}

// Outcomes are the names of health.Ending.
var Outcomes = [...]string{
	health.Answered: "answered", health.Cancelled: "cancelled", health.Failed: "failed",
	health.Refused: "refused", health.TimedOut: "timed_out", health.Broken: "broken",
}

// Scraped records that the endpoint's metrics were read at a time in nanoseconds since 1970. The gauge is a time and not an
// age, because an age would stand still when scraping stops.
func (m *endpoints) Scraped(address string, at int64) {
	e := m.At(address)
	if e.scrape == 0 {
		e.scrape = lastScrapeSeconds.define(e.label, e.pool)
	}
	e.scrape.record(uint64(at / 1e9))
}

// NotScraped records that reading the endpoint's metrics failed.
func (m *endpoints) NotScraped(address string) {
	e := m.At(address)
	if e.errors == 0 {
		e.errors = scrapeErrorsTotal.define(e.label, e.pool)
	}
	e.errors.add(1)
}

// left records that the endpoint has left the pool: the time of its last scrape becomes 0, whichever worker set it.
func (m *endpoints) left(address string) {
	if e := m.by[address]; e != nil && e != m.rest {
		m.Scraped(address, 0)
	}
}
