package metrics

import (
	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/health"
	"warmroute/plugin/pool"
	"warmroute/plugin/worker"
)

// Pool is the metrics of one pool, with its name as a label; an only pool has no name, and no label.
type Pool struct {
	name string
	endpoints
	passed     family                         // requests that go on unsteered, by why
	active     bool                           // steered something since showSize
	byReason   [len(worker.ArmNames)][]metric // histograms of the time to the first token, by arm and reason
	shadow     shadow
	experiment *experiment // nil: none

	shadowGain, experimentGain gain

	held held

	crossZone       metric // 0: nothing is known to be in another zone
	unlisted        metric // 0: no list of models is known
	discovery       metric
	discovered      bool // by this worker
	discoveryErrors metric
	size            size
	peers           peers
}

// newPool makes the metrics of a pool of that name, and those of its shadow policy where there is one.
func newPool(bound *endpointBound, name string, shadow config.Policy) *Pool {
	m := &Pool{
		name:            name,
		endpoints:       endpoints{pool: name, bound: bound, by: make(map[string]*Endpoint), dropped: endpointsDropped.define(name)},
		passed:          family{id: passedTotal, rest: []string{name}},
		discovery:       lastDiscoverySeconds.define(name),
		discoveryErrors: discoveryErrorsTotal.define(name),
	}
	if shadow != config.PolicyNone {
		m.shadow = newShadow(shadow.String(), name)
		m.shadowGain = newGain("shadow", shadow.String(), name)
	}
	return m
}

// size is gauges of the pool, defined when it is first known.
type size struct {
	defined               bool
	known, down, draining metric
	changes               uint32 // Pool.Changes, as shown
}

// showSize shows how many endpoints there are, and how many of them are down and draining, as this worker sees it. Each
// worker judges by the responses it has seen, so one that has decided nothing since the last call sets nothing, unless endpoints have come or
// gone since: where no request comes, or none is steered because there is no endpoint, nobody else would show that.
func (m *Pool) showSize(p *pool.Pool, now int64) {
	s := &m.size
	if s.defined && !m.active && s.changes == p.Changes() {
		return
	}
	m.active = false
	if !s.defined {
		*s = size{defined: true, known: endpointsKnown.define(m.name), down: endpointsDown.define(m.name), draining: endpointsDraining.define(m.name)}
	}
	s.changes = p.Changes()
	var down, draining uint64
	for i := range p.Endpoints {
		if !p.Present(i) {
			m.left(p.Endpoints[i].Address)
		} else if p.Health.Down(i) && !p.Health.Untried(i, now) {
			down++
		} else if p.Health.Draining(i) {
			draining++
		}
	}
	s.known.record(uint64(p.Size()))
	s.down.record(down)
	s.draining.record(draining)
}

// steered counts what is particular about a steered request: that its first endpoint is in another zone, where any is, that
// no endpoint lists its model, where lists are known, and how the shadow policy decided.
func (m *Pool) steered(x *worker.Exchange) {
	if c, ok := x.Comparison(); ok {
		m.shadow.count(c)
	}
	known := x.Pool().Known()
	if known == nil {
		return
	}
	if known.Zoned() {
		m.countIf(&m.crossZone, crossZoneTotal, known.Away(x.Decision().Endpoint()))
	}
	if known.Lists() {
		m.countIf(&m.unlisted, unlistedModelTotal, x.Unlisted())
	}
}

// Last shows what is left when the worker's filter goes: Envoy keeps each gauge as it was last set, and nobody may show this
// pool again. A newer configuration that has it shows its own at its next tick.
func (m *Pool) Last(p *pool.Pool, now int64) {
	m.show(gaugeInFlight, p, now)
	m.show(gaugeWaiting, p, now)
	m.end()
}

// end shows that nothing is known of the pool any more: no endpoint is down, and no list and no page of metrics grows old. A newer
// configuration that has the pool soon reads its own. A context that serves again after it stood by shows its size anew.
func (m *Pool) end() {
	m.active = true
	if m.size.defined {
		m.size.down.record(0)
		m.size.draining.record(0)
	}
	m.endOutages()
	if m.discovered {
		m.discovered = false
		m.discovery.record(0)
	}
	for _, e := range m.by {
		if e != m.rest && e.scrape != 0 {
			e.scrape.record(0)
		}
	}
}

// countIf adds one to a metric where it counts. The metric is defined at the first call, so that 0 is shown.
func (m *Pool) countIf(of *metric, id metricID, counts bool) {
	if *of == 0 {
		*of = id.define(m.name)
	}
	if counts {
		of.add(1)
	}
}

// Discovered notes that the list of endpoints was read at a time in nanoseconds since 1970; 0: that it failed.
func (m *Pool) Discovered(at int64) {
	if at == 0 {
		m.discoveryErrors.add(1)
		return
	}
	m.discovered = true
	m.discovery.record(uint64(at / 1e9))
}

// FirstToken records a request's time to the first token by the decision's reason.
func (m *Pool) FirstToken(x *worker.Exchange) {
	of, reason := &m.byReason[x.Arm()], x.Decision().Reason
	for len(*of) < len(decision.Reasons) {
		*of = append(*of, 0)
	}
	if (*of)[reason] == 0 {
		(*of)[reason] = ttftByReasonMilliseconds.define(reason.String(), worker.ArmNames[x.Arm()], m.name)
	}
	(*of)[reason].record(uint64(x.TTFT() / 1e6))
}

// Ended counts a request that has ended, for what the policy is worth.
func (m *Pool) Ended(x *worker.Exchange) {
	m.experiment.ended(x)
	if c, ok := x.Comparison(); ok && x.Ending() == health.Answered {
		perToken, _ := x.Pool().Known().Speed()
		m.shadowGain.save(float64(c.Live-c.Shadow), perToken)
	}
}

// flush passes on what waits since the last call.
func (m *Pool) flush(known *pool.Pool) {
	m.shadowGain.flush()
	if m.experiment == nil {
		return
	}
	m.experiment.flush()
	perToken, _ := known.Speed()
	m.experimentGain.save(m.experiment.baseline.compare(), perToken)
	m.experimentGain.flush()
}
