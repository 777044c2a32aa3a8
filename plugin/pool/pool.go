// Package pool keeps what one worker knows of one pool of endpoints: its members and their places on the ring, the load
// on each, whether each is healthy and how fast it is, and what its KV cache is believed to hold. Policies (package
// route) read it; package worker reports to it what happens. There may be several pools, independent of each other.
//
// All state is indexed by endpoint. Time is an argument, in nanoseconds of one clock that may be set back.
//
// One request, by the methods that report it:
//
//	Prepare     what is known of its prompt is written to a Flight
//	Begin       it is sent to an endpoint
//	Served      the response comes from another endpoint, after failed tries; Moved: by the proxy's own choice
//	FirstToken  the first part of a streamed response has come
//	End         it has ended, in any way. A second call does nothing
//	Extend      the rest of its prompt was read after Begin
//
// and Tick about once a second.
//
// What can be known without the others is kept by rooms of its own: health, queue, traffic, speed, others, models, keepers. Here it is
// brought together. The first word of a file's name says what it is about:
//
//	members   which endpoints there are, from when on, and in which zone; models: what each serves
//	flight    one request, from its prompt to its end, and what is noted of it on its way
//	load      requests and prompt tokens at an endpoint: of this proxy (workers), and of others
//	gateways  what other gateways report, or have sent without reporting it
//	speed     how fast endpoints compute prompts: what of a request package speed learns from
//	health    whether an endpoint is to get requests at all
//	cache     what an endpoint's cache holds, and what comes back to it; memory: how much of it requests use
//	hosts     endpoints of one address, which may slow each other
//	summary   all of this that policies weigh, kept ready
package pool

import (
	"warmroute/plugin/config"
	"warmroute/plugin/health"
	"warmroute/plugin/models"
	"warmroute/plugin/others"
	"warmroute/plugin/prefix"
	"warmroute/plugin/queue"
	"warmroute/plugin/ring"
	"warmroute/plugin/speed"
	"warmroute/plugin/traffic"
)

// Pool belongs to one worker and is not safe for concurrent use.
type Pool struct {
	// Endpoints by index. One that has left stays in the list, not Present, until another takes its place.
	Endpoints []config.Endpoint
	Ring      *ring.Ring
	Index     *prefix.Index // what each cache is believed to hold; nil where the configuration gives it no bytes

	// ExternalIndex says that the caller writes the index: the pool neither records nor corrects what requests do to caches.
	ExternalIndex bool

	Health     health.Endpoints   // reported by the methods of Pool alone
	Returns    traffic.Returns    // how much of prompts comes back
	Stays      traffic.Residences // how long requests hold memory
	Answers    traffic.Answers    // how long answers are
	repeats    traffic.Repeats    // and whether the next prompt repeats them
	Lost       traffic.Lost       // what caches have lost
	Again      traffic.Again      // and what is computed again of what they have evicted
	AtGateways queue.Holds        // requests that wait at this worker for room, and at others

	// Admitted, if it is set, is called when an endpoint is to get requests for the first time or again; anew says that
	// this is another endpoint than before at that index.
	Admitted func(endpoint int, anew bool)

	ends      []endpoint
	summaries summaries
	tiers     tiers
	memories  memories
	grain     float64 // tokens in a block of the caches, where these are coarse; 0: they are not

	// Members.
	changes   uint32 // Changes
	ranked    bool   // endpoints are, or were, data-parallel ranks of servers
	tables    *Rings // that the ring's points are in; nil: they are its own
	zones     zones
	hosts     hosts
	first     bool  // the endpoints that join are a pool's first
	slowStart int64 // ns
	warmFrom  int64 // ns: when the last endpoint joined that is slow to start

	// What is learned; another pool's, after CopyLearned, where it is borrowed.
	borrowed    bool
	speeds      speed.Speeds
	tokens      traffic.Tokens
	served      *models.Served
	adapters    models.Adapters
	adapterLoad int64 // ns to load one

	// Load of others.
	workers   workers
	gateways  gateways
	likely    others.Likewise
	unshared  others.Unshared
	uncounted uncounted
	stored    stored
	boundAt   int64 // ns: when an endpoint was last at its bound of load; 0: never

	// Prompts, and caches.
	toolsFirst bool   // in the chat template of its models
	secret     uint64 // of chains
	names      names
	depth      []int32 // of Match
	levels     []prefix.Level
	demand     traffic.Demand
	held       []Held // of Demand
	sizes      sizes
	cacheBytes float64 // per token, from which the capacities were computed last
	filled     int64   // ns: MemoryFills; 0: never
}

// endpoint is what is known of one endpoint.
type endpoint struct {
	own, others int     // requests in flight: this worker's, and those of the proxy's other workers
	reads       float64 // tokens of the prompts of this worker's
	weight      int
	away        bool   // in another zone than this proxy
	joined      int64  // ns: when it joined others; 0: it was there from the start
	turn        uint32 // changes with each endpoint that has this index, and when it leaves
	workers     workerLoad
	gateways    gatewayLoad
	learned
}

// learned is forgotten when the endpoint leaves.
type learned struct {
	responses bool // its server obeys a data-parallel rank in the Responses API, too

	queue queue.Own

	recent   float64 // requests sent recently: each weighs e^(−age ÷ recent.Span)
	work     float64 // their tokens to compute, weighed alike
	recentAt int64

	metrics metrics
	memory  memory
	thrash  traffic.Thrashing
	cache   cache
	early   float64 // of isEarly: their share
	slots   models.Slots
}

// New makes a pool of the endpoints that cfg lists, empty if they are discovered. indexBytes bounds the memory of the
// index; 0: no index.
func New(cfg *config.Config, indexBytes int) *Pool {
	p := &Pool{served: new(models.Served), Ring: ring.New(cfg.Ring.Vnodes), adapterLoad: cfg.AdapterLoad, slowStart: cfg.SlowStart, toolsFirst: cfg.ToolsFirst, zones: zones{own: cfg.Zone, cost: float64(cfg.CrossZone) / 1e9}, cacheBytes: traffic.UsualBytes, secret: cfg.Secret}
	if indexBytes > 0 {
		p.Index = prefix.NewIndex(0, indexBytes, cfg.TableSecret)
		if cfg.IsOneOfSeveral() {
			p.Index.SmallPieces()
		}
	}
	p.Reserve(len(cfg.Endpoints))
	for i, e := range cfg.Endpoints {
		p.Place(i, e, 0)
	}
	return p
}

// Release gives the memory of the index back: the pool is not used any more.
func (p *Pool) Release() {
	if p.Index != nil {
		p.Index.Release()
	}
}

// Size is the number of endpoints in the pool.
func (p *Pool) Size() int { return p.Health.Size() }

// Changes is how often an endpoint has joined or left; it wraps around.
func (p *Pool) Changes() uint32 { return p.changes }

// Tick is to be called about once a second.
func (p *Pool) Tick(now int64) {
	p.ejectHung(now)
	p.findBarren(now)
	p.fitCaches()
	if !p.borrowed && p.speeds.Compare(now) { // else with what that one compared, and what is under way here is answered elsewhere
		p.touchAll()
	}
	p.learnUncounted(now)
	p.fitHosts(now)
	p.renewAdapters(now)
	if p.Index != nil {
		p.Index.SetLongestUse(uint32(min(max(longestUse*p.Stays.Mean(), 1), mostUse) * 1e3))
	}
}

// How long a prompt's blocks are in use at most: then the end of its request was missed.
const (
	longestUse = 3    // mean residences
	mostUse    = 3600 // seconds
)
