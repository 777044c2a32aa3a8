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

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/trace"
)

const sessionHeader = "x-session-id"

func newRun(o Options) (*run, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	r := &run{
		Options: o, rng: rand.New(rand.NewPCG(o.Seed, 1)), maker: trace.Maker{Model: fleet.DefaultModel},
		byName: map[string]int{}, under: map[uint64]*journey{}, held: map[Ticket]func() error{}, reasons: map[string]int{}, repeats: repeats{seen: map[uint64]struct{}{}},
		served: make([]journey, len(o.Trace.Requests)), waiting: make([][]int, len(o.Trace.Requests)),
	}
	var err error
	if r.plan, err = newPlan(&o); err != nil {
		return nil, err
	}
	var endpoints []any
	for i := range o.Replicas {
		e, err := fleet.NewEngine(o.profileOf(i))
		if err != nil {
			return nil, err
		}
		e.SetTokenEvents(o.FrontEnd.Token > 0)
		r.replicas = append(r.replicas, e)
		if o.FrontEnd != (FrontEnd{}) || o.Cores > 0 {
			r.fronts = append(r.fronts, front{slow: 1})
		}
		endpoints = append(endpoints, o.Zones.endpoint(i))
		r.byName[address(i)] = i
	}
	configuration := map[string]any{"policy": o.Policy, "endpoints": endpoints, "seed": o.Seed + 1} // 0 would be the clock
	maps.Copy(configuration, o.Plugin)
	if o.NameSessions {
		configuration["session_headers"] = []string{sessionHeader}
	}
	if o.Scrape > 0 {
		configuration["scrape"] = map[string]any{"cluster": "replicas", "interval": fmt.Sprintf("%dms", o.Scrape.Milliseconds())}
	}
	r.plan.configure(configuration, endpoints)
	o.Join.configure(configuration)
	if o.Sync.Interval > 0 {
		configuration["peers"] = o.Sync.members(o.Gateways)
		r.network = newNetwork(r, o.Sync)
	}
	r.configuration = configuration
	r.gateways = make([]Engine, o.Gateways)
	for i := range r.gateways {
		if err := r.restart(i); err != nil {
			r.close()
			return nil, err
		}
	}
	r.answers = newAnswers(o.Trace)
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
	return r.metrics.of(replica, r.steps, r.replicas)
}

func (r *run) close() {
	for _, g := range slices.Concat(r.gateways, r.ended) {
		if g != nil {
			_ = g.Close() // nothing is lost with a simulated proxy
		}
	}
}
