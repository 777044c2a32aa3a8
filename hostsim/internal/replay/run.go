package replay

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/trace"
)

// Options say what to run.
type Options struct {
	Trace    *trace.Trace
	Policy   string
	Replicas int     // 1 to 1024
	Workers  int     // of each gateway
	Gateways int     // that share nothing
	Profile  Profile // of every replica
	Speed    float64 // arrivals come that many times faster than recorded, > 0
	Closed   bool    // a turn waits for the answer to the one before it and for its think time
	Seed     uint64  // spreads requests over gateways and workers, and seeds the policies
	Plugin   map[string]any
	Engine   func(configuration []byte, workers int) (Engine, error)
	Progress func(done, total int) // or nil
}

// Profile is a fleet profile that fits a trace: its cache blocks are the trace's, so that ids are block hashes.
type Profile struct{ fleet.Profile }

// Fit makes p's blocks those of t and gives it room for kvTokens (0: as many as it has), and lets prompts be as long as
// that. The error names what does not fit.
func Fit(p fleet.Profile, t *trace.Trace, kvTokens int) (Profile, error) {
	if kvTokens == 0 {
		kvTokens = p.KVTokens()
	}
	if t.BlockSize > 0 {
		p.BlockSize = t.BlockSize
	}
	p.MaxModelLen = math.MaxInt
	p, err := p.WithKVTokens(kvTokens)
	return Profile{p}, err
}

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
	now      int64
	rng      *rand.Rand
	maker    trace.Maker
	arrivals arrivals
	replicas []*fleet.Engine
	byName   map[string]int
	gateways []Engine
	under    map[uint64]*journey // by request id
	waiting  [][]int             // closed loop: the requests that wait for each one's answer
	served   []journey
	finished int
	rejected int // longer than a replica's memory
	steps    int
	reasons  map[string]int
}

// journey is one request's way through gateway and replica.
type journey struct {
	index   int
	replica int
	ticket  Ticket
	record  fleet.Record
}

func newRun(o Options) (*run, error) {
	if o.Replicas < 1 || o.Replicas > 1024 {
		return nil, fmt.Errorf("replicas: %d is not within 1 to 1024", o.Replicas)
	}
	if o.Workers < 1 || o.Gateways < 1 || !(o.Speed > 0) {
		return nil, fmt.Errorf("workers %d, gateways %d and speed %v must be above 0", o.Workers, o.Gateways, o.Speed)
	}
	r := &run{
		Options: o, rng: rand.New(rand.NewPCG(o.Seed, 1)), maker: trace.Maker{Model: fleet.DefaultModel},
		byName: map[string]int{}, under: map[uint64]*journey{}, reasons: map[string]int{},
		served: make([]journey, len(o.Trace.Requests)), waiting: make([][]int, len(o.Trace.Requests)),
	}
	var addresses []string
	for i := range o.Replicas {
		e, err := fleet.NewEngine(o.Profile.Profile)
		if err != nil {
			return nil, err
		}
		r.replicas = append(r.replicas, e)
		addresses = append(addresses, fmt.Sprintf("10.0.%d.%d:8000", i/256, i%256))
		r.byName[addresses[i]] = i
	}
	configuration, err := Configure(o.Policy, addresses, o.Seed, o.Trace.BlockSize, o.Plugin)
	if err != nil {
		return nil, err
	}
	for range o.Gateways {
		g, err := o.Engine(configuration, o.Workers)
		if err != nil {
			r.close()
			return nil, err
		}
		r.gateways = append(r.gateways, g)
	}
	for i, req := range o.Trace.Requests {
		if o.Closed && req.After >= 0 {
			r.waiting[req.After] = append(r.waiting[req.After], i)
		} else {
			r.arrivals = append(r.arrivals, arrival{int64(float64(req.At) / o.Speed), i})
		}
	}
	heap.Init(&r.arrivals)
	return r, nil
}

func (r *run) close() {
	for _, g := range r.gateways {
		_ = g.Close() // nothing is lost with a simulated proxy
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
	if next == math.MaxInt64 {
		return fmt.Errorf("at %.3f s nothing is under way and %d requests are left", float64(r.now)/1e9, len(r.served)-r.finished)
	}
	for _, g := range r.gateways {
		if t, ok := g.Next(); ok {
			next = min(next, t)
		}
	}
	r.now = max(r.now, next)
	for _, g := range r.gateways {
		g.Advance(r.now)
	}
	for len(r.arrivals) > 0 && r.arrivals[0].at <= r.now {
		if err := r.arrive(heap.Pop(&r.arrivals).(arrival).index); err != nil {
			return err
		}
	}
	for _, e := range r.replicas {
		for _, event := range e.Advance(r.now) {
			r.happen(event)
		}
	}
	return nil
}

// arrive shows a request to a gateway and sends it where that says.
func (r *run) arrive(index int) error {
	req := &r.Trace.Requests[index]
	body, path := r.maker.Append(make([]byte, 0, 128+trace.BytesPerToken*req.InputTokens), r.Trace, req)
	gateway, worker := r.rng.IntN(len(r.gateways)), r.rng.IntN(r.Workers)
	ticket, err := r.gateways[gateway].Begin(worker, &Request{Path: path, Body: body})
	if err != nil {
		return fmt.Errorf("request %d: %w", index, err)
	}
	j := &journey{index: index, ticket: ticket}
	reason := "passed"
	if endpoints := ticket.Endpoints(); len(endpoints) > 0 {
		j.replica = r.byName[endpoints[0]]
		_, reason, _ = strings.Cut(ticket.Decision(), "reason=")
		reason, _, _ = strings.Cut(reason, ";")
	} else {
		j.replica = r.rng.IntN(len(r.replicas)) // as a proxy without a choice of its own
	}
	r.reasons[reason]++
	work, err := r.work(req, body, path)
	if err != nil {
		return fmt.Errorf("request %d: %w", index, err)
	}
	work.ID = uint64(index)
	switch err := r.replicas[j.replica].Submit(r.now, work); {
	case errors.Is(err, fleet.ErrTooLong): // a server answers 400
		Answer(j.ticket, r.address(j.replica), 400, "application/json", []byte(`{"error":{"code":400}}`))
		r.rejected++
		r.end(index)
		return nil
	case err != nil:
		return fmt.Errorf("request %d: %w", index, err)
	}
	r.under[work.ID] = j
	return nil
}

// work is what a replica has to do for a request: the prompt's full blocks are cached, the answer's are not, because
// recorders give no ids for them; a next turn's ids hold them.
func (r *run) work(req *trace.Request, body []byte, path string) (fleet.Request, error) {
	if req.Body != nil {
		return fleet.ParseRequest(path, body, req.OutputTokens)
	}
	full := req.InputTokens / r.Trace.BlockSize
	hashes := make([]uint64, 0, full)
	for _, span := range req.Blocks {
		for i := range span.N {
			if len(hashes) < full {
				hashes = append(hashes, uint64(span.First+i)+1)
			}
		}
	}
	return fleet.Request{Hashes: hashes, PromptTokens: req.InputTokens, MaxTokens: req.OutputTokens}, nil
}

// happen tells the gateway what its replica sent.
func (r *run) happen(e fleet.Event) {
	j := r.under[e.Record.ID]
	switch e.Kind {
	case fleet.FirstToken:
		j.ticket.Headers(r.address(j.replica), 200, "text/event-stream")
		j.ticket.Chunk(firstChunk, false)
	case fleet.Finished:
		j.ticket.Chunk(lastChunk(e.Record), true)
		j.ticket, j.record = nil, *e.Record
		r.served[j.index] = *j
		delete(r.under, e.Record.ID)
		r.end(j.index)
	}
}

// end counts a request's end and lets those come that waited for it.
func (r *run) end(index int) {
	r.finished++
	for _, next := range r.waiting[index] {
		heap.Push(&r.arrivals, arrival{r.now + int64(float64(r.Trace.Requests[next].Think)/r.Speed), next})
	}
	if r.Progress != nil {
		r.Progress(r.finished, len(r.served))
	}
}

func (r *run) address(replica int) string {
	return fmt.Sprintf("10.0.%d.%d:8000", replica/256, replica%256)
}

// What a replica streams: a chunk with the first token, and one with the usage.
var firstChunk = []byte(`data: {"object":"text_completion","choices":[{"index":0,"text":" a"}]}` + "\n\n")

func lastChunk(record *fleet.Record) []byte {
	return fmt.Appendf(nil, `data: {"object":"text_completion","choices":[],"usage":{"prompt_tokens":%d,"total_tokens":%d,"completion_tokens":%d,`+
		`"prompt_tokens_details":{"cached_tokens":%d}}}`+"\n\ndata: [DONE]\n\n",
		record.PromptTokens, record.PromptTokens+record.Generated, record.Generated, record.CachedTokens)
}

// arrival is a request to come; arrivals is a heap by time, then by place in the trace.
type arrival struct {
	at    int64
	index int
}

type arrivals []arrival

func (a arrivals) Len() int      { return len(a) }
func (a arrivals) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a arrivals) Less(i, j int) bool {
	return a[i].at < a[j].at || a[i].at == a[j].at && a[i].index < a[j].index
}
func (a *arrivals) Push(x any) { *a = append(*a, x.(arrival)) }
func (a *arrivals) Pop() any {
	last := (*a)[len(*a)-1]
	*a = slices.Delete(*a, len(*a)-1, len(*a))
	return last
}
