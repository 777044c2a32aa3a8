// Package pool keeps what one worker knows of one pool of endpoints: its members and their places on the ring, the load
// on each, whether each is healthy and how fast it is, and what its KV cache is believed to hold. Policies (package
// route) read it; package worker tells it what happens. Several pools may live side by side: none knows of another.
//
// All state is indexed by endpoint. Time is an argument, in nanoseconds of one clock that may be set back.
//
// One request's life at the pool, by the methods that tell it:
//
//	Prepare     what is known of its prompt is put down in a Flight
//	Begin       it is sent to an endpoint
//	Served      the response comes from another endpoint than that, after failed tries; Moved: by the proxy's own choice
//	FirstToken  the first part of a streamed response has come
//	End         it is over, however it went. A second call does nothing
//
// and Tick about once a second.
package pool

import (
	"warmroute/plugin/config"
	"warmroute/plugin/prefix"
	"warmroute/plugin/ring"
)

// Pool belongs to one worker and is not safe for concurrent use.
type Pool struct {
	// Endpoints by index. One that has left stays in the list, not Present, until another takes its place.
	Endpoints []config.Endpoint
	Ring      *ring.Ring
	Index     *prefix.Index // what each cache is believed to hold; nil where the configuration gives it no bytes

	// ExternalIndex says that others write the index: what requests do to caches is neither recorded nor corrected.
	ExternalIndex bool

	// Admitted, where it is set, is called when an endpoint is to get requests for the first time or again; anew says
	// that nothing of what was known of that index holds any more.
	Admitted func(endpoint int, anew bool)

	ends    []endpoint
	size    int // endpoints present
	tokens  tokens
	rates   rates
	peers   peers
	foreign float64 // share of responses that show prompts of other gateways in a cache, smoothed

	cacheBytes float64 // per token, from which the capacities were computed last
	depth      []int32 // of Match
}

// endpoint is what is known of one endpoint.
type endpoint struct {
	own, others int // requests in flight: this worker's, and those of the proxy's other workers
	weight      int
	gone        bool // not in the pool; what is in flight there still ends
	peer        peerTokens
	learned
}

// learned is forgotten when the endpoint leaves.
type learned struct {
	draining bool // to be given no new requests
	out      bool // discovery says that it cannot serve

	// Prompt tokens on their way through prefill. Streamed responses show when theirs are done; of the others it is
	// only known how fast the endpoint works.
	waiting  int     // own streams without a first token
	queued   float64 // their tokens
	since    int64   // when the endpoint began with the first of them
	unseen   float64 // tokens of requests whose response is not streamed, at unseenAt
	unseenAt int64
	unseenIn float64 // tokens of all such requests so far

	recent   float64 // requests sent recently: each weighs e^(−age ÷ WorkSpan)
	work     float64 // their tokens to compute, weighed alike
	recentAt int64

	metrics metrics
	speed   fit
	health  health
	cache   cache
}

// New makes the pool that cfg lists, empty where it is discovered. indexBytes bounds the memory of the index; 0: none is
// kept.
func New(cfg *config.Config, indexBytes int) *Pool {
	p := &Pool{Ring: ring.New(cfg.Ring.Vnodes), cacheBytes: usualBytes}
	if indexBytes > 0 {
		p.Index = prefix.NewIndex(0, indexBytes)
	}
	p.Reserve(len(cfg.Endpoints))
	for i, e := range cfg.Endpoints {
		p.Place(i, e, 0)
	}
	return p
}

// Size is the number of endpoints in the pool.
func (p *Pool) Size() int { return p.size }

// Tick is to be called about once a second.
func (p *Pool) Tick(now int64) {
	p.ejectHung(now)
	p.fitCaches()
}
