package metrics

import "warmroute/plugin/worker"

// held counts the requests that wait for room, defined when the first does.
type held struct {
	defined              bool
	now, tokens, lasting metric
	outcomes             family
}

// Holds counts a request that waits from now on. The tokens that it needs wait at no endpoint, so they have no such label.
func (m *Pool) Holds(x *worker.Exchange) {
	h := &m.held
	if !h.defined {
		*h = held{true, heldRequests.define(m.name), waitingPrefillTokens.define("", m.name), heldMilliseconds.define(m.name), family{id: heldTotal, rest: []string{m.name}}}
	}
	h.now.add(1)
	h.tokens.add(x.Needs())
}

// Freed counts one that waits no longer, and how that came; left says that its client left.
func (m *Pool) Freed(x *worker.Exchange, left bool) {
	ns, limit := x.Held()
	m.held.now.add(-1)
	m.held.tokens.add(-x.Needs())
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
