// Package health judges whether the endpoints of one pool are to get requests at all: by how requests end there, and by what discovery
// reports; or after the others, because it gives no tokens (barren.go).
//
// The health of an endpoint is one number: the share of failures among its last few responses, smoothed. Two connections in
// a row that were refused put the endpoint down, or failures of several requesters (blame.go). Then it gets one request at a time as a
// probe, after 1 s, 2 s, 4 s… up to a minute; the first good response brings it back with a clean record. How long requests take does not
// count: the queue and the learned rate show that. Nor does a time-out: the replica was slow, or the route's time-out short. Only
// one that has stopped altogether is found (hang.go).
//
// All state is indexed by endpoint. Time is an argument, in nanoseconds of one clock that may be set back.
package health

// Change is what a report makes of an endpoint.
type Change uint8

// The changes.
const (
	None    Change = iota
	Back           // it may have requests again
	Emptied        // it is down, and is assumed to come back with an empty cache
)

// Endpoints belong to one worker's pool and are not safe for concurrent use. The zero value has none.
type Endpoints struct {
	list   []endpoint
	size   int // present
	yields yields
}

type endpoint struct {
	present bool
	health
}

// health is what is forgotten when the endpoint leaves.
type health struct {
	draining bool  // is to get no new requests
	ill      bool  // discovery reports that it cannot serve
	missing  bool  // its server has no such data-parallel rank
	outFrom  int64 // since when one of these
	record
}

// record is what requests have shown, and what is made of it.
type record struct {
	failing float64 // share of failures, 0 to 1
	judged  int64   // when it last changed
	lived   int64   // the last sign of life
	spell   spell

	down    bool
	hung    bool  // because it hangs
	failed  bool  // because of failures whose cause is not known
	from    int64 // when it went down
	pause   int64 // before the next probe
	probeAt int64 // when it is due
	probing bool  // a probe is in flight
	yield   yield
	unanswered
}

// unanswered is what is not forgotten when the endpoint comes back.
type unanswered struct {
	progress int64   // when something last came from it, or its use of memory changed
	moved    int64   // when a first token, a response or an error last came
	sent     int64   // when the first request since then was sent, or memory changed after it; 0: none
	work     float64 // prompt tokens that were queued when it was sent, its own included
	tries    int     // requests sent since then that their clients did not cancel
	blames   *blames // nil: none has failed
}

// Add makes room for one more endpoint, which is absent.
func (e *Endpoints) Add() { e.list = append(e.list, endpoint{}) }

// Set says that endpoint i has joined, as one of which nothing is known, or has left.
func (e *Endpoints) Set(i int, present bool) {
	if e.list[i].present {
		e.size--
	}
	if e.list[i] = (endpoint{present: present}); present {
		e.size++
	}
}

// Size is the number of endpoints that are present.
func (e *Endpoints) Size() int { return e.size }

// Copy makes endpoint i's health that of another pool.
func (e *Endpoints) Copy(i int, from *Endpoints) {
	blamed := e.list[i].blames
	e.list[i].health = from.list[i].health
	e.list[i].blames = blamed
	e.yields.barren = from.yields.barren
}

// Present says whether endpoint i is in the pool.
func (e *Endpoints) Present(i int) bool { return e.list[i].present }

// Draining says whether endpoint i is to get no new requests while others can.
func (e *Endpoints) Draining(i int) bool { return e.list[i].draining }

// Missing says whether endpoint i is a data-parallel rank that its server does not have.
func (e *Endpoints) Missing(i int) bool { return e.list[i].missing }

// Down says whether endpoint i has failed and not yet responded again, or discovery reports it as out.
func (e *Endpoints) Down(i int) bool { return e.list[i].down || e.list[i].out() }

// Serving says whether endpoint i is to get its share of new requests: it is in the pool, not down and not draining.
func (e *Endpoints) Serving(i int) bool { return e.Present(i) && !e.Down(i) && !e.Draining(i) }

// out says whether the endpoint cannot serve, whatever its responses say.
func (h *health) out() bool { return h.ill || h.missing }

// Report sets what discovery says of endpoint i: ill, that it cannot serve (by a health check, for instance), and draining. It says whether
// the endpoint may have requests that could not.
func (e *Endpoints) Report(i int, ill, draining bool, now int64) Change {
	return e.report(i, ill, draining, e.list[i].missing, now)
}

// ReportRank sets whether the endpoint is a rank that its server does not have, likewise.
func (e *Endpoints) ReportRank(i int, missing bool, now int64) Change {
	return e.report(i, e.list[i].ill, e.list[i].draining, missing, now)
}

func (e *Endpoints) report(i int, ill, draining, missing bool, now int64) Change {
	h, served := &e.list[i].health, e.Serving(i)
	if (ill || missing) && !h.out() {
		h.outFrom = now
	}
	if h.ill, h.missing, h.draining = ill, missing, draining; !served && e.Serving(i) {
		return Back
	}
	return None
}
