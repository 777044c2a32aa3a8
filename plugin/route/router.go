// Package route decides which endpoints a request should try, in order, and says why.
//
// One file holds one policy. A policy sees the prompt, what the endpoints' caches are believed to hold, the load table
// and the ring, and nothing else: time and randomness come in as arguments, so that the same requests in the same order
// give the same decisions in the proxy, in the simulator and in a test.
//
// A request's life, for whoever drives a Router (times are nanoseconds of one clock):
//
//	Pick        decides; counts nothing
//	Begin       the request goes to the decision's first endpoint
//	Served      the answer comes from another one than that
//	FirstToken  the first part of a streamed answer has come
//	Answered    it has ended, however it did. A second call is ignored
//
// and Tick once a second. Without Begin and the others, by Load.Acquire and Load.Release alone, requests are counted and
// nothing is learned.
package route

import (
	"warmroute/plugin/config"
	"warmroute/plugin/load"
	"warmroute/plugin/prefix"
	"warmroute/plugin/prompt"
	"warmroute/plugin/ring"
)

// Request is what a policy may know of a request.
type Request struct {
	Prompt  *prompt.Prompt // nil: nothing is known of the prompt, route by load
	Why     string         // why Prompt is nil, a short stable word such as "broken_json"
	Tenant  []byte         // value of the tenant header; isolates caches like cache_salt does
	Session []byte         // value of the session header; goes before the prompt's own session
	Length  int            // bytes of the whole body as its header tells; 0: not known
	Now     int64          // nanoseconds
}

// Router holds a policy and the state it decides by. It belongs to one worker and is not safe for concurrent use.
type Router struct {
	Endpoints []config.Endpoint // by index; those that have left the pool stay until another takes their place
	Load      *load.Table
	Index     *prefix.Index // nil where the configuration gives it no bytes

	pool
	chosen     policy
	byLoad     byLoad
	name       config.Policy
	candidates int
	blockBytes int
	tokens     tokens
	tells      []bool // endpoints that have told of a true hit
	cache      cache
}

// policy orders endpoints for one request: it fills d.Order with n distinct endpoints, best first, those that are well
// before the others, and sets d.Reason and the terms it weighed. It never fails: every request gets an order.
type policy interface {
	pick(req *Request, n int, d *Decision)
}

// New makes the router that cfg asks for. seed starts the random policies; equal seeds give equal decisions.
func New(cfg *config.Config, seed uint64) *Router {
	r := &Router{
		Load:       load.NewTable(0),
		name:       cfg.Policy,
		candidates: cfg.Steer.Candidates,
		blockBytes: cfg.BlockBytes,
		cache:      cache{bytes: usualBytes},
	}
	if bytes := cfg.IndexBytes; bytes > 0 {
		if cfg.Policy == config.PolicyLRUMatch {
			bytes /= 2 // the other half is the policy's own
		}
		r.Index = prefix.NewIndex(0, bytes)
	}
	r.pool = pool{load: r.Load, ring: ring.New(cfg.Ring.Vnodes), index: r.Index}
	r.pool.caches = &r.cache
	r.byLoad = byLoad{pool: &r.pool}
	r.chosen = r.newPolicy(cfg, source(seed))
	r.Reserve(len(cfg.Endpoints))
	for i, e := range cfg.Endpoints {
		r.Place(i, e, 0)
	}
	return r
}

func (r *Router) newPolicy(cfg *config.Config, seed source) policy {
	p := &r.pool
	switch cfg.Policy {
	case config.PolicyRandom:
		return &random{pool: p, source: seed}
	case config.PolicyRoundRobin:
		return &roundRobin{pool: p}
	case config.PolicyJoinShortestQueue:
		return &joinShortestQueue{pool: p}
	case config.PolicyPowerOfTwo:
		return &powerOfTwo{random{pool: p, source: seed}}
	case config.PolicySessionAffinity:
		return &sessionAffinity{pool: p, byLoad: &r.byLoad}
	case config.PolicyPrefixKey:
		return &prefixKey{pool: p, byLoad: &r.byLoad}
	case config.PolicyLRUMatch:
		return newLRUMatchPolicy(cfg, p)
	case config.PolicyCacheAware:
		return &cacheAware{pool: p, weights: cfg.CacheAware}
	case config.PolicyExpectedTTFT:
		return &expectedTTFT{pool: p, bound: cfg.ExpectedTtft.Bound}
	}
	return &prefixHash{pool: p, chars: cfg.PrefixHash.PrefixChars, bound: cfg.PrefixHash.Bound}
}

// Pick decides for req and writes the decision into d, whose buffers are reused. The order has at least two
// endpoints wherever the pool has two; it is empty, and Pick false, where the pool is. Pick counts nothing.
func (r *Router) Pick(req *Request, d *Decision) bool {
	d.reset(r.name)
	if r.pool.size == 0 {
		return false
	}
	r.look(req, d)
	n := min(r.candidates, r.pool.size)
	if req.Prompt == nil {
		d.Why = req.Why
		r.byLoad.pick(req, n, d)
	} else {
		r.chosen.pick(req, n, d)
	}
	if i := r.Load.Probe(req.Now); i >= 0 {
		d.putFirst(i)
	}
	r.believe(d, d.Order[0])
	return true
}

// mostTokens bounds what is made of the body's length that a header tells, before the body has come: whoever says 2 GB and
// sends none of it must not take an endpoint out of use. Few models have a longer context.
const mostTokens = 1 << 18

// look finds out what the policies go by: who is well, the prompt's chain and who holds how much of it, and its size.
func (r *Router) look(req *Request, d *Decision) {
	r.pool.look(req.Now)
	if req.Prompt == nil {
		return
	}
	p := req.Prompt
	d.seed = prefix.Seed(p.Model, p.Adapter, p.Salt, req.Tenant)
	if r.Index != nil {
		d.Chain = prefix.Chain(d.Chain, d.seed, p.Text, r.blockBytes)
		d.Total = len(d.Chain)
		r.Index.Match(d.Chain, r.depth)
	}
	d.streams, d.exact, d.bytes = p.Stream, !p.Truncated, len(p.Text)
	d.model = modelKey(p)
	perToken := r.tokens.bytesPerToken(d.model)
	d.promptTokens = float64(len(p.Text)) / perToken
	if p.Truncated && p.BodyBytes > 0 && req.Length > p.BodyBytes {
		whole := d.promptTokens * float64(req.Length) / float64(p.BodyBytes)
		d.promptTokens = max(d.promptTokens, min(whole, mostTokens))
	}
	d.blockTokens = float64(r.blockBytes) / perToken
}

// believe notes what is believed of an endpoint's cache, to be held against its answer.
func (r *Router) believe(d *Decision, endpoint int) {
	if r.Index == nil || d.Total == 0 {
		return
	}
	if d.Matched = int(r.depth[endpoint]); d.Matched > 0 {
		d.touched, _ = r.Index.Touched(endpoint, d.Chain[d.Matched-1])
	}
}
