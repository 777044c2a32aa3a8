// Package route decides which endpoints a request should try, in order, and says why.
//
// One file holds one policy. A policy sees the prompt, the load table and the ring, and nothing else: time and
// randomness come in as arguments, so that the same requests in the same order give the same decisions in the
// proxy, in the simulator and in a test.
package route

import (
	"warmroute/plugin/config"
	"warmroute/plugin/load"
	"warmroute/plugin/prompt"
	"warmroute/plugin/ring"
)

// Request is what a policy may know of a request.
type Request struct {
	Prompt *prompt.Prompt // nil: nothing is known of the prompt, route by load
	Why    string         // why Prompt is nil, a short stable word such as "broken_json"
	Tenant []byte         // value of the tenant header; isolates caches like cache_salt does
}

// Router holds a policy and the state it decides by. It belongs to one worker and is not safe for concurrent use.
type Router struct {
	Endpoints []config.Endpoint
	Load      *load.Table

	chosen     policy
	byLoad     byLoad
	name       config.Policy
	candidates int
}

// policy orders endpoints for one request: it fills d.Order with n distinct endpoints, best first, and sets
// d.Reason and the terms it weighed. It never fails: every request gets an order.
type policy interface {
	pick(req *Request, n int, d *Decision)
}

// New makes the router that cfg asks for. seed starts the random policies; equal seeds give equal decisions.
func New(cfg *config.Config, seed uint64) *Router {
	r := &Router{
		Endpoints:  cfg.Endpoints,
		Load:       load.NewTable(len(cfg.Endpoints)),
		name:       cfg.Policy,
		candidates: min(cfg.Steer.Candidates, len(cfg.Endpoints)),
	}
	weights := make([]int, len(cfg.Endpoints))
	for i, e := range cfg.Endpoints {
		weights[i] = e.Weight
	}
	r.byLoad = byLoad{load: r.Load, weights: weights}
	switch cfg.Policy {
	case config.PolicyRandom:
		r.chosen = &random{weights: weights, source: source(seed)}
	case config.PolicyRoundRobin:
		r.chosen = &roundRobin{weights: weights, credit: make([]int, len(weights))}
	default:
		r.chosen = newPrefixHash(cfg, r.Load, weights)
	}
	return r
}

// newRing places all endpoints by their addresses, so that every worker and every gateway has the same ring.
func newRing(cfg *config.Config) *ring.Ring {
	r := ring.New(cfg.Ring.Vnodes)
	for i, e := range cfg.Endpoints {
		r.Add(i, e.Address, e.Weight)
	}
	return r
}

// Pick decides for req and writes the decision into d, whose buffers are reused. The order has at least two
// endpoints wherever the pool has two. Pick counts nothing: call Load.Acquire for the endpoint that is used.
func (r *Router) Pick(req *Request, d *Decision) {
	d.reset(r.name)
	if req.Prompt == nil {
		d.Why = req.Why
		r.byLoad.pick(req, r.candidates, d)
		return
	}
	r.chosen.pick(req, r.candidates, d)
}
