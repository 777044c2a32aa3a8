package main

import "warmroute/plugin/worker"

// heldMetrics count the requests that wait for room, defined when the first does.
type heldMetrics struct {
	defined      bool
	now, lasting metric
	outcomes     family
}

// holds counts a request that waits from now on.
func (m *poolMetrics) holds() {
	h := &m.held
	if !h.defined {
		*h = heldMetrics{true, heldRequests.define(m.name), heldMilliseconds.define(m.name), family{id: heldTotal, rest: []string{m.name}}}
	}
	h.now.add(1)
}

// freed counts one that waits no longer, and how that came.
func (m *poolMetrics) freed(x *worker.Exchange, left bool) {
	ns, limit := x.Held()
	m.held.now.add(-1)
	outcome := "room"
	switch {
	case left:
		outcome = "left"
	case limit:
		outcome = "limit"
	}
	m.held.outcomes.add(outcome)
	m.held.lasting.record(uint64(ns / 1e6))
}
