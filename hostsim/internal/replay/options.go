package replay

import (
	"fmt"
	"math"
	"time"

	"warmroute/hostsim/internal/router"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
	"warmroute/plugin/config"
)

// Options say what to run.
type Options struct {
	Trace    *trace.Trace
	Policy   string
	Replicas int // 1 to config.MaxEndpoints; data-parallel ranks each count
	Ranks    int // so many of them are ranks of one server; 0: each is a server of its own
	Workers  int // of each gateway
	Gateways int // that share what Sync says
	Sync     Sync
	Profile  vllm.Profile  // of every replica
	Second   *vllm.Profile // of the second half of them, if it is set
	Models   Models        // that the replicas serve, and their adapters
	Join     Join          // replicas that join later
	Changes  []Change      // or replicas that join and leave, at any time
	Zones    Zones         // that replicas and gateways are spread over
	HangUps  HangUps       // clients that do not wait
	Hole     Hole          // a replica that answers without computing
	Slower   []float64     // by replica: its steps take that many times as long; those beyond the list: once
	FrontEnd FrontEnd
	Cores    float64       // that the replicas share: with more of them busy, each is slower in proportion; 0: each has its own
	Speed    float64       // arrivals come that many times faster than recorded, > 0
	Spread   time.Duration // arrivals come later by up to that, by chance: what a recorder's coarse clock has put into one moment
	Closed   bool          // a turn waits for the answer to the one before it and for its think time
	// Concurrency is how many sessions are under way at most (0: any number): one that comes when so many are waits, in
	// order, for another's last answer. It needs Closed.
	Concurrency int
	// Scrape is how often the gateways read the replicas' metrics, at least 100 ms; 0: never.
	Scrape time.Duration
	Detail bool   // keep what became of each request in Result.Served
	Seed   uint64 // spreads requests over gateways and workers, and seeds the policies
	// NameSessions makes requests name their session in the header x-session-id, as a client that knows of it would.
	NameSessions bool
	Whole        bool // no client asks for a stream: each answer comes when it is complete
	Untold       bool // answers do not tell their cached tokens
	Plugin       map[string]any
	Engine       func(configuration []byte, workers int) (router.Engine, error)
	Progress     func(done, total int) // or nil
}

// check says what is wrong.
func (o *Options) check() error {
	if o.Replicas < 1 || o.Replicas > config.MaxEndpoints {
		return fmt.Errorf("replicas: %d is not within 1 to %d", o.Replicas, config.MaxEndpoints)
	}
	if o.Concurrency < 0 || o.Concurrency > 0 && !o.Closed {
		return fmt.Errorf("concurrency %d: it is at least 0, and goes with a closed loop", o.Concurrency)
	}
	if !(o.Cores >= 0) {
		return fmt.Errorf("cores: %v is below 0", o.Cores)
	}
	if err := o.FrontEnd.check(); err != nil {
		return err
	}
	if err := o.HangUps.Check(); err != nil {
		return err
	}
	if o.Workers < 1 || o.Gateways < 1 || !(o.Speed > 0) {
		return fmt.Errorf("workers %d, gateways %d and speed %v must be above 0", o.Workers, o.Gateways, o.Speed)
	}
	if err := o.checkSecond(); err != nil {
		return err
	}
	if o.Profile.AlignedStates == 1 && o.Profile.HostKVBlocks > 0 {
		return fmt.Errorf("aligned states and KV in host memory: states that are kept there are not modelled")
	}
	if err := o.checkRanks(); err != nil {
		return err
	}
	if err := o.Join.check(o); err != nil {
		return err
	}
	if o.Join.Replicas > 0 {
		o.Changes = o.Join.changes(o)
	}
	if err := o.checkChanges(); err != nil {
		return err
	}
	if err := o.Hole.check(o); err != nil {
		return err
	}
	return o.Zones.check(o)
}

// LastArrival is when the last request of an open loop comes, in ns.
func (o *Options) LastArrival() float64 {
	if len(o.Trace.Requests) == 0 {
		return 0
	}
	return float64(o.Trace.Requests[len(o.Trace.Requests)-1].At) / o.Speed
}

// KeepInHost lets all replicas keep KV in host memory, so many times as much as in their own, > 0.
func (o *Options) KeepInHost(times float64) {
	o.Profile = o.Profile.WithHostKV(times)
	if o.Second != nil {
		*o.Second = o.Second.WithHostKV(times)
	}
}

// Fit makes p's blocks those of t, or about as many of these as p's are long, so that a trace's ids are the blocks of the caches, gives it
// room for kvTokens (0: as many as it has), and lets prompts be as long as that. The error names what does not fit.
func Fit(p vllm.Profile, t *trace.Trace, kvTokens int) (vllm.Profile, error) {
	if kvTokens == 0 {
		kvTokens = p.KVTokens()
	}
	if t.BlockSize > 0 {
		p.HashedBlocks = max((p.BlockSize+t.BlockSize/2)/t.BlockSize, 1)
		p.SetBlock(p.HashedBlocks * t.BlockSize)
	}
	p.MaxModelLen = math.MaxInt
	return p.WithKVTokens(kvTokens)
}
