package replay

import (
	"bytes"
	"container/heap"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"warmroute/hostsim/internal/router"
	"warmroute/hostsim/internal/vllm"
)

const sessionHeader = "x-session-id"

// newRun is a run before its first step, which makes its requests with others' works, or with its own if that is nil. Errors: o is out of
// range, or a gateway refuses its configuration.
func newRun(o Options, shared *works) (*run, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Gateways == 1 { // there is nobody to ask
		o.Sync.Interval = 0
	}
	r := &run{
		Options: o, rng: rand.New(rand.NewPCG(o.Seed, 1)),
		byName: map[string]int{}, under: map[uint64]*journey{}, held: map[router.Ticket]func() error{}, reasons: map[string]int{}, repeats: repeats{seen: map[uint64]struct{}{}},
		served: make([]journey, len(o.Trace.Requests)), waiting: make([][]int, len(o.Trace.Requests)), there: o.first(), changes: o.Changes,
		patience: o.HangUps.draw(len(o.Trace.Requests), o.Seed),
	}
	var err error
	if r.plan, err = newPlan(&o); err != nil {
		return nil, err
	}
	if r.works = shared; shared == nil {
		r.works = newWorks(&o, r.plan)
	}
	if err := r.startReplicas(); err != nil {
		return nil, err
	}
	r.configuration = r.configure()
	if o.Sync.Interval > 0 || len(o.Sync.Restarts) > 0 {
		r.network = newNetwork(r, o.Sync)
	}
	r.gateways = make([]router.Engine, o.Gateways)
	for i := range r.gateways {
		if err := r.restart(i); err != nil {
			r.close()
			return nil, err
		}
	}
	if o.Concurrency > 0 {
		r.limit = newLimit(o.Trace, o.Concurrency)
	}
	r.schedule()
	return r, nil
}

func (r *run) startReplicas() error {
	for i := range r.Replicas {
		e, err := r.newReplica(i)
		if err != nil {
			return err
		}
		r.replicas = append(r.replicas, e)
		if r.FrontEnd != (FrontEnd{}) || r.Cores > 0 {
			r.fronts = append(r.fronts, front{slow: 1})
		}
		if i%r.perServer() == 0 {
			r.names = append(r.names, r.address(len(r.names)))
			r.byName[r.addressOf(i)] = i
		}
	}
	return nil
}

// newReplica is one that has computed nothing.
func (r *run) newReplica(i int) (*vllm.Engine, error) {
	e, err := vllm.NewEngine(r.profileOf(i))
	if err == nil {
		e.SetTokenEvents(r.FrontEnd.Token > 0)
	}
	return e, err
}

// configure returns the module's configuration, but for what a zone adds.
func (r *run) configure() map[string]any {
	endpoints := make([]any, r.Replicas/r.perServer())
	for i := range endpoints {
		endpoints[i] = r.endpoint(i)
	}
	configuration := map[string]any{"policy": r.Policy, "endpoints": endpoints, "seed": r.Seed + 1} // 0 would be the clock

	if r.Ranks > 1 && r.Scrape == 0 { // else they are learned from the pages
		configuration["data_parallel_ranks"] = r.Ranks
	}
	maps.Copy(configuration, r.Plugin)
	if r.NameSessions {
		configuration["session_headers"] = []string{sessionHeader}
	}
	if r.Scrape > 0 {
		configuration["scrape"] = map[string]any{"cluster": "replicas", "interval": fmt.Sprintf("%dms", r.Scrape.Milliseconds())}
	}
	r.plan.configure(configuration, endpoints)
	r.discover(configuration)
	if r.Sync.Interval > 0 {
		configuration["peers"] = r.Sync.members(r.Gateways)
	}
	return configuration
}

// schedule sets when requests come: at the trace's times, or, in a closed loop, when the one before has been answered.
func (r *run) schedule() {
	spread, begin := rand.New(rand.NewPCG(r.Seed, 4)), int64(0)
	if r.changing() {
		begin = int64(SettleIn)
	}
	for i, req := range r.Trace.Requests {
		if r.Closed && req.After >= 0 {
			r.waiting[req.After] = append(r.waiting[req.After], i)
		} else {
			r.arrivals = append(r.arrivals, arrival{begin + int64((float64(req.At)+spread.Float64()*float64(r.Spread))/r.Speed), i})
		}
	}
	heap.Init(&r.arrivals)
}

// restart starts gateway i, or puts a new one in its place.
func (r *run) restart(i int) error {
	configuration, err := json.Marshal(r.Zones.of(i, r.configuration))
	if err != nil {
		return err
	}
	configuration = append(configuration, bytes.Repeat([]byte(" "), r.starts)...) // see incarnation
	r.starts++
	g, err := r.Engine(configuration, r.Workers)
	if err != nil {
		return err
	}
	if s, ok := g.(router.Scraped); ok && (r.Scrape > 0 || r.changing()) {
		s.Answers(r.page)
	}
	r.inform(g)
	if old := r.gateways[i]; old != nil {
		r.ended = append(r.ended, old)
	}
	if late, ok := g.(router.Starter); ok {
		if at := r.startOf(i, g); at > 0 {
			late.StartAt(at)
		}
	}
	g.Advance(r.now)
	if r.changing() {
		r.tellWatchers([]router.Engine{g}, r.addresses(), nil)
	}
	if r.gateways[i] = g; r.network != nil {
		r.network.connect(i)
	}
	return nil
}

// startOf is when a gateway starts. At a run's beginning gateways start apart, so that their ticks are: no two proxies tick at one moment
// again and again.
func (r *run) startOf(i int, g router.Engine) int64 {
	if period, ticks := g.Next(); ticks && r.gateways[i] == nil {
		return period * int64(i) / int64(r.Gateways)
	}
	return r.now
}

// page is what a replica answers a gateway's call.
func (r *run) page(address, path string) []byte {
	replica, known := r.byName[address]
	switch {
	case router.IsHosts(path) && r.changing():
		return r.hosts()
	case !known || !r.there[replica]:
		return nil
	case strings.HasSuffix(path, "/models"):
		return r.plan.list(replica, r.Replicas)
	}
	return r.metrics.of(replica, r.steps, r.engines(replica), len(r.replicas))
}

func (r *run) close() {
	for _, g := range slices.Concat(r.gateways, r.ended) {
		if g != nil {
			_ = g.Close() // nothing is lost with a simulated proxy
		}
	}
}
