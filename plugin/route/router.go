// Package route decides which endpoints of a pool a request should try, in order, and says why (package decision).
//
// One file holds one policy, and one line of the table in policies.go names it. A policy sees the prompt, what the
// endpoints' caches are believed to hold, their load and the ring, and nothing else: time and randomness come in as
// arguments, so that the same requests in the same order give the same decisions in the proxy, in the simulator and in a
// test. Pick counts nothing; the caller reports to the pool what becomes of the request.
package route

import (
	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/pool"
)

// Router decides for one pool by one policy. It belongs to one worker and is not safe for concurrent use.
type Router struct {
	view       view
	chosen     policy
	byLoad     byLoad
	name       config.Policy
	candidates int
	early      pool.Flight // of Settled
}

// policy orders endpoints for one request: it fills d.Order with n distinct endpoints, best first and class by class, and
// sets d.Reason and the terms that it weighed. It never fails: every request gets an order.
type policy interface {
	pick(req *decision.Request, n int, d *decision.Decision)
}

// keeper is a policy that keeps state of its own by endpoint.
type keeper interface {
	// admit says that endpoint i is to get requests, for the first time or again; anew, that it is another endpoint than
	// before.
	admit(i int, anew bool)
}

// New makes the router that cfg asks for, over a pool that keeps IndexBytes. seed starts the random policies; equal seeds
// give equal decisions.
func New(cfg *config.Config, p *pool.Pool, seed uint64) *Router {
	r := &Router{name: cfg.Policy, candidates: cfg.Steer.Candidates, view: view{pool: p}}
	r.view.hold = r.view.holds.of(0)
	r.byLoad = byLoad{view: &r.view}
	r.chosen = policies[cfg.Policy](cfg, r, source(seed))
	if k, keeps := r.chosen.(keeper); keeps {
		before := p.Admitted // another router's, of the same pool
		p.Admitted = func(i int, anew bool) {
			if before != nil {
				before(i, anew)
			}
			k.admit(i, anew)
		}
		for i := range p.Endpoints {
			if p.Present(i) {
				k.admit(i, true)
			}
		}
	}
	return r
}

// Release gives back the memory of a policy that keeps an index of its own: the router is not used any more.
func (r *Router) Release() {
	if m, keeps := r.chosen.(*lruMatch); keeps {
		m.Release()
	}
}

// settler is a policy that decides by something else than load or caches.
type settler interface {
	// settled says that req has all that the policy decides by.
	settled(req *decision.Request) bool
}

// Settled says whether the rest of req's prompt cannot change the decision: the policy has all that it decides by; or the
// length of the prompt is known, and how much of it each endpoint holds.
func (r *Router) Settled(req *decision.Request) bool {
	if s, is := r.chosen.(settler); is {
		return s.settled(req)
	}
	return r.name.ByLoad() || req.Length > 0 && r.view.pool.Settled(&r.early, req.Prompt, req.Tenant)
}

// Pick decides for req and writes the decision into d, whose buffers are reused. The order has at least two endpoints if
// the pool has two. If the pool is empty, so is the order, and Pick is false.
func (r *Router) Pick(req *decision.Request, d *decision.Decision) bool {
	d.Reset(r.name)
	p := r.view.pool
	if p.Size() == 0 {
		return false
	}
	if req.Prompt != nil {
		p.Prepare(&d.Flight, req.Prompt, req.Tenant, req.Length)
	}
	r.view.look(req.Now, req.Model, d)
	n := min(r.candidates, p.Size())
	if req.Prompt == nil {
		d.Why = req.Why
		r.byLoad.pick(req, n, d)
	} else {
		r.chosen.pick(req, n, d)
	}
	if r.view.alike && r.view.best == well {
		// none is down
	} else if i := p.Probe(&r.view.servers, req.Now); i >= 0 {
		d.PutFirst(i, decision.Probe)
	}
	if len(req.Stored) > 0 {
		if i := p.Keeper(req.Owner, req.Stored); i >= 0 && p.Serving(i) {
			d.PutFirst(i, decision.Stored)
		}
	}
	if r.view.pool.HasRanks() {
		r.view.keepRank(n, d)
	}
	p.Expect(&d.Flight, d.Order[0])
	p.NoteChoice(&d.Flight, d.Home < 0 && d.Reason != decision.Probe && d.Reason != decision.Stored)
	if r.view.zoned && p.Away(d.Order[0]) {
		d.Term("cross_zone_s", p.CrossZone(d.Order[0]))
	}
	return true
}
