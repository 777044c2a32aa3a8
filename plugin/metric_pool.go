package main

import (
	"warmroute/plugin/config"
	"warmroute/plugin/pool"
	"warmroute/plugin/route"
	"warmroute/plugin/worker"
)

// poolMetrics are those of one pool, with its name as a label; an only pool has no name, and no label.
type poolMetrics struct {
	name string
	endpointMetrics
	passed     family
	active     bool                           // decided something since showSize
	byReason   [len(worker.ArmNames)][]metric // histograms of the time to the first token, by arm and reason
	shadow     shadowMetrics
	experiment *experimentMetrics // nil: none

	shadowGain, experimentGain gain

	held heldMetrics

	crossZone       metric // noMetric: nothing is known to be in another zone
	unlisted        metric // noMetric: no list of models is known
	discovery       metric
	discoveryErrors metric
	size            sizeMetrics
	peers           peerMetrics
}

// newPoolMetrics makes the metrics of a pool of that name, and those of its shadow policy where there is one.
func newPoolMetrics(name string, bound *endpointBound, shadow config.Policy) *poolMetrics {
	m := &poolMetrics{
		name:            name,
		endpointMetrics: endpointMetrics{pool: name, bound: bound, by: make(map[string]*atEndpoint), dropped: endpointsDropped.define(name)},
		crossZone:       noMetric,
		unlisted:        noMetric,
		passed:          family{id: passedTotal, rest: []string{name}},
		discovery:       lastDiscoverySeconds.define(name),
		discoveryErrors: discoveryErrorsTotal.define(name),
	}
	if shadow != config.PolicyNone {
		m.shadow = newShadowMetrics(shadow.String(), name)
		m.shadowGain = newGain("shadow", shadow.String(), name)
	}
	return m
}

// sizeMetrics are gauges of the pool, defined when it is first known.
type sizeMetrics struct {
	defined               bool
	known, down, draining metric
}

// showSize shows how many endpoints there are, and how many of them are down and draining, as this worker sees it. Each
// worker judges by the responses it has seen, so one that has decided nothing since the last call sets nothing.
func (m *poolMetrics) showSize(p *pool.Pool) {
	if !m.active {
		return
	}
	m.active = false
	s := &m.size
	if !s.defined {
		*s = sizeMetrics{true, endpointsKnown.define(m.name), endpointsDown.define(m.name), endpointsDraining.define(m.name)}
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

// steered notes what is particular about a steered request: that its first endpoint is in another zone, where any is, and
// that no endpoint lists its model, where lists are known.
func (m *poolMetrics) steered(x *worker.Exchange) {
	known := x.Pool().Known()
	if known == nil {
		return
	}
	if known.Zoned() {
		count(&m.crossZone, crossZoneTotal, m.name, known.Away(x.Decision().Endpoint()))
	}
	if known.Lists() {
		count(&m.unlisted, unlistedModelTotal, m.name, x.Unlisted())
	}
}

// last shows what is left when the worker's filter goes: Envoy keeps each gauge as it was last set, and nobody may show this
// pool again. A newer configuration that has it shows its own at its next tick.
func (m *poolMetrics) last(p *pool.Pool, now int64) {
	m.show(gaugeInFlight, p, now)
	m.show(gaugeWaiting, p, now)
	if m.size.defined {
		m.size.down.record(0)
		m.size.draining.record(0)
	}
}

// count adds one to a metric where counts is true. It is defined at the first call, so that 0 is shown.
func count(m *metric, id metricID, pool string, counts bool) {
	if *m == noMetric {
		*m = id.define(pool)
	}
	if counts {
		m.add(1)
	}
}

// discovered notes that the list of endpoints was read at a time in nanoseconds since 1970; 0: that it failed.
func (m *poolMetrics) discovered(at int64) {
	if at == 0 {
		m.discoveryErrors.add(1)
		return
	}
	m.discovery.record(uint64(at / 1e9))
}

// firstToken records a request's time to the first token by the decision's reason.
func (m *poolMetrics) firstToken(x *worker.Exchange) {
	of, reason := &m.byReason[x.Arm()], x.Decision().Reason
	for len(*of) < len(route.Reasons) {
		*of = append(*of, noMetric)
	}
	if (*of)[reason] == noMetric {
		(*of)[reason] = ttftByReasonMilliseconds.define(reason.String(), worker.ArmNames[x.Arm()], m.name)
	}
	(*of)[reason].record(uint64(x.TTFT() / 1e6))
}

// ended counts a request that has ended, for what the policy is worth.
func (m *poolMetrics) ended(x *worker.Exchange) {
	m.experiment.ended(x)
	if c, ok := x.Comparison(); ok && x.Ending() == pool.Answered {
		perToken, _ := x.Pool().Known().Speed()
		m.shadowGain.save(float64(c.Live-c.Shadow), perToken)
	}
}

// tell passes on what waits since the last call.
func (m *poolMetrics) tell(known *pool.Pool) {
	m.shadowGain.tell()
	if m.experiment == nil {
		return
	}
	m.experiment.tell()
	perToken, _ := known.Speed()
	m.experimentGain.save(m.experiment.baseline.compare(), perToken)
	m.experimentGain.tell()
}
