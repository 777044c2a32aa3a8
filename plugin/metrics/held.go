package metrics

import "warmroute/plugin/worker"

// held counts the requests that wait for room, defined when the first does.
type held struct {
	defined      bool
	now, lasting metric
	outcomes     family
}

// Holds counts a request that waits from now on.
func (m *Pool) Holds() {
	h := &m.held
	if !h.defined {
		*h = held{true, heldRequests.define(m.name), heldMilliseconds.define(m.name), family{id: heldTotal, rest: []string{m.name}}}
	}
	h.now.add(1)
}

// Freed counts one that waits no longer, and how that came; left says that its client left.
func (m *Pool) Freed(x *worker.Exchange, left bool) {
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
