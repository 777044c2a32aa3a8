// Package metrics is what the module counts: the table of all metrics, and for each worker those of its pools and endpoints. The
// proxy keeps the values (Proxy). What requests add waits in memory until the tick, because each call to the proxy costs.
package metrics

import (
	"warmroute/plugin/pool"
	"warmroute/plugin/worker"
)

// Set is the metrics of one worker. It is not safe for concurrent use.
type Set struct {
	bound    *endpointBound
	outside  family // requests that are in no pool, passed on unsteered
	removed  metric
	late     metric // requests that went on before their model had come
	decision metric
	took     []uint64           // µs: decisions that wait for flush
	pools    []*Pool            // by the place of the pool
	gone     []*Pool            // of workers that doze
	faults   map[string]*family // of other gateways, by address
	shown    int64              // ns: when Show last set what is set once a second
}

const (
	// mostTook is how many decisions wait for flush, at most.
	mostTook = 256

	// showEvery is how often most gauges are set, in nanoseconds.
	showEvery = 1e9
)

// New makes the metrics of a worker in which at most `most` endpoints, 1 or more, have labels of their own: together with those of the filter's
// former configurations.
func New(in Proxy, filter string, most int) *Set {
	proxy = in
	return &Set{
		bound:    &endpointBound{most: most, labels: labelsOf(filter)},
		outside:  family{id: passedTotal},
		removed:  removedHeadersTotal.define(),
		late:     lateModelTotal.define(),
		decision: decisionMicroseconds.define(),
		took:     make([]uint64, 0, mostTook),
	}
}

// Of is the metrics of a pool, made at the first call. Of a worker that dozes they are those of the pool's name, wherever it is now.
func (m *Set) Of(p *worker.Pool) *Pool {
	if p.Dozes() {
		return m.former(p)
	}
	for len(m.pools) <= p.Place() {
		m.pools = append(m.pools, nil)
	}
	if m.pools[p.Place()] == nil || m.pools[p.Place()].name != p.Name() {
		made := m.made(p)
		if old := m.pools[p.Place()]; old != nil {
			old.end()
		}
		m.pools[p.Place()] = made
	}
	return m.pools[p.Place()]
}

func (m *Set) made(p *worker.Pool) *Pool {
	cfg := p.Config()
	made := newPool(m.bound, p.Name(), cfg.Shadow)
	if e := cfg.Experiment; e.Share > 0 {
		made.experiment = newExperiment(cfg.Policy.String(), e.Policy.String(), p.Name())
		made.experimentGain = newGain("experiment", e.Policy.String(), p.Name())
	}
	return made
}

func (m *Set) former(p *worker.Pool) *Pool {
	for _, pools := range [...][]*Pool{m.pools, m.gone} {
		for _, of := range pools {
			if of != nil && of.name == p.Name() {
				return of
			}
		}
	}
	m.gone = append(m.gone, m.made(p))
	return m.gone[len(m.gone)-1]
}

// Removed counts a steering header that a client had sent.
func (m *Set) Removed() { m.removed.add(1) }

// Modelless counts a request that goes on before its model has come, on which the choice depends.
//
//go:noinline
func (m *Set) Modelless() { m.late.add(1) }

// Passed counts a request that goes on unsteered, by why; in is its pool, nil if it is in none.
func (m *Set) Passed(in *worker.Pool, why string) {
	if in == nil {
		m.outside.add(why)
		return
	}
	m.Of(in).passed.add(why)
}

// Steered counts a request that is steered now; deciding took that time, in nanoseconds.
func (m *Set) Steered(x *worker.Exchange, took int64) {
	of := m.Of(x.Pool())
	m.decided(of, took)
	of.steered(x)
}

func (m *Set) decided(of *Pool, took int64) {
	if len(m.took) == mostTook {
		m.flush()
	}
	m.took = append(m.took, uint64(max(took, 0)/1e3))
	of.active = true
}

// flush passes on what requests have added since the last call. The tick calls it: calls to the proxy one after the other take
// .4 µs each, among a request's others more than 1 (docs/measurements.md).
func (m *Set) flush() {
	for _, v := range m.took {
		m.decision.record(v)
	}
	for _, e := range m.bound.unflushed {
		e.flush()
	}
	m.took, m.bound.unflushed = m.took[:0], m.bound.unflushed[:0]
}

// Flush passes on what requests have added, in these pools.
func (m *Set) Flush(pools []*worker.Pool) {
	m.flush()
	for _, of := range pools {
		if known := of.Known(); known != nil {
			m.Of(of).flush(known)
		}
	}
}

// Show is Flush, and sets the gauges of the pools: requests in flight at each call, all others once a second.
func (m *Set) Show(pools []*worker.Pool, now int64) {
	m.Flush(pools)
	second := now-m.shown >= showEvery || now < m.shown
	if second {
		m.shown = now
	}
	for _, of := range pools {
		if known := of.Known(); known != nil {
			m.Of(of).showAll(of, known, second, now)
		}
	}
}

// showAll sets the gauges of a pool; one worker sets those that are the same for all.
func (m *Pool) showAll(of *worker.Pool, known *pool.Pool, second bool, now int64) {
	if of.Leads() {
		m.show(gaugeInFlight, known, now)
	}
	if !second {
		return
	}
	if of.Leads() {
		m.show(gaugeWaiting, known, now)
	}
	m.showSize(known, now)
	m.showOutages(known, now)
	if g := of.Gossip(); g != nil {
		m.showPeers(g.Stats(now), of.Leads())
	}
}
