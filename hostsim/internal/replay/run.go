// Package replay puts a trace, a fleet and routers together in virtual time, and says what users saw.
package replay

import (
	"container/heap"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"warmroute/hostsim/internal/due"
	"warmroute/hostsim/internal/router"
	"warmroute/hostsim/internal/vllm"
)

// Run replays the trace in virtual time and returns what its users saw. It is deterministic: equal options give equal
// results. A request longer than a replica's memory is answered 400 and counted. Errors: ctx cancelled, a configuration
// that is refused.
func Run(ctx context.Context, o Options) (*Result, error) {
	r, err := newRun(o, nil)
	if err != nil {
		return nil, err
	}
	defer r.close()
	if err := r.until(ctx, math.MaxInt); err != nil {
		return nil, err
	}
	return r.result(), nil
}

// until goes on until so many requests have come, or all are answered.
func (r *run) until(ctx context.Context, came int) error {
	for r.finished < len(r.Trace.Requests) && r.came < came {
		if r.steps++; r.steps%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := r.step(); err != nil {
			return err
		}
	}
	return nil
}

// run is a replay under way. Times are ns since the trace began.
type run struct {
	Options
	now           int64
	rng           *rand.Rand
	works         *works
	plan          *plan
	came          int // requests
	arrivals      arrivals
	replicas      []*vllm.Engine
	fronts        []front  // of each replica; none where they take no time and no cores are shared
	names         []string // servers' addresses
	byName        map[string]int
	there         []bool   // by replica
	changes       []Change // to come
	former        []former // replicas' engines that others have replaced
	gateways      []router.Engine
	heard         bool                           // they hear what caches store and evict
	ended         []router.Engine                // those that others have replaced: requests under way end there
	network       *network                       // or nil: gateways share nothing, and none restarts
	configuration map[string]any                 // of the module, but for what a zone adds
	starts        int                            // of gateways
	under         map[uint64]*journey            // by request id
	transit       due.Queue                      // requests and events between zones
	hangUps       due.Queue                      // of clients
	patience      []int64                        // ns after which each request's client hangs up; 0: never
	waiting       [][]int                        // closed loop: the requests that wait for each one's answer
	held          map[router.Ticket]func() error // at gateways: what sends them
	limit         *limit                         // or nil
	served        []journey
	finished      int
	rejected      int // longer than a replica's memory
	hungUp        int
	steps         int
	reasons       map[string]int
	repeats       repeats // of bodies
	metrics       pages
	turns         int // of servers that choose a rank
}

// step goes to the next moment at which something happens. The order in which what is due at one moment happens is part of a run's
// result: replicas that join and leave, gateways, their messages, new requests, clients that hang up, requests that reach their replica, front ends, replicas.
func (r *run) step() error {
	next, err := r.next()
	if err != nil {
		return err
	}
	before := r.now
	r.now = max(r.now, next)
	if err := r.change(); err != nil {
		return err
	}
	if err := r.advanceGateways(before); err != nil {
		return err
	}
	if err := r.comeIn(); err != nil {
		return err
	}
	if err := r.hangUps.ArriveBy(r.now); err != nil {
		return err
	}
	if err := r.transit.ArriveBy(r.now); err != nil {
		return err
	}
	if err := r.pass(); err != nil {
		return err
	}
	for i, e := range r.replicas {
		for _, event := range e.Advance(r.now) {
			r.answer(i, event)
		}
	}
	for _, f := range r.former {
		for _, event := range f.engine.Advance(r.now) {
			r.answer(f.replica, event)
		}
	}
	if r.Cores > 0 {
		r.share()
	}
	return nil
}

// next is the next moment at which something happens, in ns. Error: requests are left, and nothing but the gateways' own timers is
// to come.
func (r *run) next() (int64, error) {
	next := int64(math.MaxInt64)
	consider := func(at int64, ok bool) {
		if ok {
			next = min(next, at)
		}
	}
	if len(r.arrivals) > 0 {
		next = r.arrivals[0].at
	}
	consider(r.hangUps.Next())
	consider(r.transit.Next())
	for _, e := range r.replicas {
		consider(e.Next())
	}
	for _, f := range r.former {
		consider(f.engine.Next())
	}
	for i := range r.fronts {
		consider(r.fronts[i].next())
	}
	if next == math.MaxInt64 && len(r.held) == 0 {
		return 0, fmt.Errorf("at %.3f s nothing is under way and %d requests are left", float64(r.now)/1e9, len(r.served)-r.finished)
	}
	for _, g := range r.gateways {
		consider(g.Next())
	}
	if r.network != nil {
		consider(r.network.next())
	}
	if len(r.changes) > 0 {
		consider(int64(r.changes[0].At), true)
	}
	return next, nil
}

// advanceGateways brings the gateways to now from before: their timers, requests that they hold no longer, metrics, messages.
func (r *run) advanceGateways(before int64) error {
	for _, g := range r.ended {
		g.Advance(r.now)
	}
	for _, g := range r.gateways {
		g.Advance(r.now)
		if err := r.free(g); err != nil {
			return err
		}
		r.scrape(g, before)
	}
	if r.network != nil {
		return r.network.happen()
	}
	return nil
}

// comeIn shows the gateways the requests that come by now.
func (r *run) comeIn() error {
	for len(r.arrivals) > 0 && r.arrivals[0].at <= r.now {
		index := heap.Pop(&r.arrivals).(arrival).index
		if r.limit != nil && !r.limit.enter(index) {
			continue
		}
		if err := r.arrive(index); err != nil {
			return err
		}
	}
	return nil
}

// scrape tells a gateway the replicas' metrics where its time for that has come since before. Between two steps nothing
// changes, so what the replicas say now they said then.
func (r *run) scrape(g router.Engine, before int64) {
	s, ok := g.(router.Scraper)
	if !ok || s.ScrapeEvery() < 1 || r.now/s.ScrapeEvery() == before/s.ScrapeEvery() {
		return
	}
	for server := range len(r.replicas) / r.perServer() {
		if first := server * r.perServer(); r.there[first] {
			s.Scraped(r.addressOf(first), r.statsOf(server))
		}
	}
}
