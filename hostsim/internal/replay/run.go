package replay

import (
	"bytes"
	"container/heap"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/trace"
	"warmroute/plugin/config"
)

const sessionHeader = "x-session-id"

// Run replays the trace in virtual time and returns what its users saw. It is deterministic: equal options give equal
// results. A request longer than a replica's memory is answered 400 and counted. Errors: ctx cancelled, a configuration
// that is refused.
func Run(ctx context.Context, o Options) (*Result, error) {
	r, err := newRun(o)
	if err != nil {
		return nil, err
	}
	defer r.close()
	for r.finished < len(o.Trace.Requests) {
		if r.steps++; r.steps%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := r.step(); err != nil {
			return nil, err
		}
	}
	return r.result(), nil
}

// run is a replay under way. Times are ns since the trace began.
type run struct {
	Options
	now           int64
	rng           *rand.Rand
	maker         trace.Maker
	plan          *plan
	arrivals      arrivals
	replicas      []*fleet.Engine
	fronts        []front // of each replica
	byName        map[string]int
	gateways      []Engine
	ended         []Engine // those that others have replaced: requests under way end there
	network       *network // or nil: gateways share nothing
	configuration []byte
	starts        int                 // of gateways
	under         map[uint64]*journey // by request id
	waiting       [][]int             // closed loop: the requests that wait for each one's answer
	limit         *limit              // or nil
	served        []journey
	finished      int
	rejected      int // longer than a replica's memory
	steps         int
	reasons       map[string]int
	repeats       repeats // of bodies
}

func newRun(o Options) (*run, error) {
	if o.Replicas < 1 || o.Replicas > config.MaxEndpoints {
		return nil, fmt.Errorf("replicas: %d is not within 1 to %d", o.Replicas, config.MaxEndpoints)
	}
	if o.Concurrency < 0 || o.Concurrency > 0 && !o.Closed {
		return nil, fmt.Errorf("concurrency %d: it is at least 0, and goes with a closed loop", o.Concurrency)
	}
	if !(o.Cores >= 0) {
		return nil, fmt.Errorf("cores: %v is below 0", o.Cores)
	}
	if err := o.FrontEnd.check(); err != nil {
		return nil, err
	}
	if o.Workers < 1 || o.Gateways < 1 || !(o.Speed > 0) {
		return nil, fmt.Errorf("workers %d, gateways %d and speed %v must be above 0", o.Workers, o.Gateways, o.Speed)
	}
	if err := o.checkSecond(); err != nil {
		return nil, err
	}
	if err := o.Join.check(&o); err != nil {
		return nil, err
	}
	r := &run{
		Options: o, rng: rand.New(rand.NewPCG(o.Seed, 1)), maker: trace.Maker{Model: fleet.DefaultModel},
		byName: map[string]int{}, under: map[uint64]*journey{}, reasons: map[string]int{}, repeats: repeats{seen: map[uint64]struct{}{}},
		served: make([]journey, len(o.Trace.Requests)), waiting: make([][]int, len(o.Trace.Requests)),
	}
	var err error
	if r.plan, err = newPlan(&o); err != nil {
		return nil, err
	}
	var addresses []string
	for i := range o.Replicas {
		e, err := fleet.NewEngine(o.profileOf(i))
		if err != nil {
			return nil, err
		}
		e.SetTokenEvents(o.FrontEnd.Token > 0)
		r.replicas = append(r.replicas, e)
		r.fronts = append(r.fronts, front{slow: 1})
		addresses = append(addresses, address(i))
		r.byName[addresses[i]] = i
	}
	more := map[string]any{}
	maps.Copy(more, o.Plugin)
	if o.NameSessions {
		more["session_headers"] = []string{sessionHeader}
	}
	if o.Scrape > 0 {
		more["scrape"] = map[string]any{"cluster": "replicas", "interval": fmt.Sprintf("%dms", o.Scrape.Milliseconds())}
	}
	r.plan.configure(more, addresses)
	o.Join.configure(more)
	if o.Sync.Interval > 0 {
		more["peers"] = o.Sync.members(o.Gateways)
		r.network = newNetwork(r, o.Sync)
	}
	if r.configuration, err = Configure(o.Policy, addresses, o.Seed, more); err != nil {
		return nil, err
	}
	r.gateways = make([]Engine, o.Gateways)
	for i := range r.gateways {
		if err := r.restart(i); err != nil {
			r.close()
			return nil, err
		}
	}
	if o.Concurrency > 0 {
		r.limit = newLimit(o.Trace, o.Concurrency)
	}
	spread, begin := rand.New(rand.NewPCG(o.Seed, 4)), int64(0)
	if o.Join.Replicas > 0 {
		begin = int64(settleIn)
	}
	for i, req := range o.Trace.Requests {
		if o.Closed && req.After >= 0 {
			r.waiting[req.After] = append(r.waiting[req.After], i)
		} else {
			r.arrivals = append(r.arrivals, arrival{begin + int64((float64(req.At)+spread.Float64()*float64(o.Spread))/o.Speed), i})
		}
	}
	heap.Init(&r.arrivals)
	return r, nil
}

// restart starts gateway i, or puts a new one in its place.
func (r *run) restart(i int) error {
	configuration := append(slices.Clone(r.configuration), bytes.Repeat([]byte(" "), r.starts)...) // see incarnation
	r.starts++
	g, err := r.Engine(configuration, r.Workers)
	if err != nil {
		return err
	}
	if s, ok := g.(Scraped); ok && (r.Scrape > 0 || r.Join.Replicas > 0) {
		s.Answers(r.page)
	}
	if old := r.gateways[i]; old != nil {
		r.ended = append(r.ended, old)
	}
	g.Advance(r.now)
	if r.gateways[i] = g; r.network != nil {
		r.network.connect(i)
	}
	return nil
}

// page is what a replica answers a gateway's call.
func (r *run) page(address, path string) []byte {
	replica, known := r.byName[address]
	switch {
	case isHosts(path) && r.Join.Replicas > 0:
		return r.hosts()
	case !known:
		return nil
	case strings.HasSuffix(path, "/models"):
		return r.plan.list(replica, r.Replicas)
	}
	return fleet.MetricsPage(r.replicas[replica])
}

func (r *run) close() {
	for _, g := range slices.Concat(r.gateways, r.ended) {
		if g != nil {
			_ = g.Close() // nothing is lost with a simulated proxy
		}
	}
}

// step goes to the next moment at which something happens.
func (r *run) step() error {
	next := int64(math.MaxInt64)
	if len(r.arrivals) > 0 {
		next = r.arrivals[0].at
	}
	for _, e := range r.replicas {
		if t, ok := e.Next(); ok {
			next = min(next, t)
		}
	}
	for i := range r.fronts {
		if t, ok := r.fronts[i].next(); ok {
			next = min(next, t)
		}
	}
	if next == math.MaxInt64 {
		return fmt.Errorf("at %.3f s nothing is under way and %d requests are left", float64(r.now)/1e9, len(r.served)-r.finished)
	}
	for _, g := range r.gateways {
		if t, ok := g.Next(); ok {
			next = min(next, t)
		}
	}
	if r.network != nil {
		if t, ok := r.network.next(); ok {
			next = min(next, t)
		}
	}
	before := r.now
	r.now = max(r.now, next)
	for _, g := range r.ended {
		g.Advance(r.now)
	}
	for _, g := range r.gateways {
		g.Advance(r.now)
		r.scrape(g, before)
	}
	if r.network != nil {
		if err := r.network.happen(); err != nil {
			return err
		}
	}
	for len(r.arrivals) > 0 && r.arrivals[0].at <= r.now {
		index := heap.Pop(&r.arrivals).(arrival).index
		if r.limit != nil && !r.limit.enter(index) {
			continue
		}
		if err := r.arrive(index); err != nil {
			return err
		}
	}
	if err := r.pass(); err != nil {
		return err
	}
	for i, e := range r.replicas {
		for _, event := range e.Advance(r.now) {
			r.answer(i, event)
		}
	}
	if r.Cores > 0 {
		r.share()
	}
	return nil
}

// scrape tells a gateway the replicas' metrics where its time for that has come since before. Between two steps nothing
// changes, so what the replicas say now they said then.
func (r *run) scrape(g Engine, before int64) {
	s, ok := g.(Scraper)
	if !ok || s.ScrapeEvery() < 1 || r.now/s.ScrapeEvery() == before/s.ScrapeEvery() {
		return
	}
	for i, e := range r.replicas {
		s.Scraped(i, e.Stats())
	}
}
