// Package peers replays how other projects route by prefix, for comparison with ours. Each policy is written from its
// project's public documents, with the defaults that these give, and says what was read; none of their code is in it.
// What the documents leave open is said too. A policy is one process with one view, whatever the number of workers.
//
// Prompts are read with our scanner: all policies see the same text, so that they differ in what they do with it.
package peers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"warmroute/hostsim/internal/router"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
	"warmroute/plugin/config"
	"warmroute/plugin/inspect"
	"warmroute/plugin/prompt"
)

// Prefix is what peers' names begin with where policies are named.
const Prefix = "peer:"

// Names lists the peers.
func Names() []string { return slices.Sorted(maps.Keys(makers)) }

// About says what a peer is and what was read of it; "" of none.
func About(name string) string { return makers[strings.TrimPrefix(name, Prefix)].about }

// maker makes a policy without replicas.
type maker struct {
	about string
	make  func(rng *rand.Rand) policy
}

var makers = map[string]maker{
	"kubeai_least_load": {aboutLeastLoad, newLeastLoad},
	"kubeai":            {aboutKubeAI, newKubeAI},
	"sglang":            {aboutSGLang, newSGLang},
	"sglang_lmetric":    {aboutSGLangLMetric, newSGLangLMetric},
	"smetric":           {aboutSMetric, newSMetric},
	"smg":               {aboutSMG, func(*rand.Rand) policy { return &smg{} }},
	"llmd":              {aboutLLMD, newLLMD},
	"llmd_sticky":       {aboutLLMDSticky, newLLMDSticky},
	"llmd_precise":      {aboutLLMDPrecise, newLLMDPrecise},
	"dynamo":            {aboutDynamo, newDynamo},
	"dynamo_lmetric":    {aboutLMetric, newLMetric},
	"production_stack":  {aboutProductionStack, newProductionStack},
	"load_aware":        {aboutLoadAware, newLoadAware},
	"aibrix":            {aboutAIBrix, newAIBrix},
	"higress":           {aboutHigress, newHigress},
	"ray":               {aboutRay, newRay},
	"kthena":            {aboutKthena, newKthena},
}

// policy chooses a replica, by its place among those that are there. It belongs to one goroutine.
type policy interface {
	// join adds a replica behind the others, with nothing known of it; its address places it on rings.
	join(address string)
	// leave forgets a replica; those behind it move up.
	leave(replica int)
	// pick says where a request goes, and why; it also takes note of it.
	pick(r *request) (replica int, reason string)
}

// request is what a policy may know of a request.
type request struct {
	prompt   *shown   // valid during pick
	tokens   int      // of the prompt, at four characters each
	blocks   []uint64 // of the prompt, for those that hear what caches hold
	inFlight []int    // requests at each replica
	charged  int      // a follower's own: tokens that it counts as queued for this request
	sent     int64    // a follower's own: ns, when it was
	work     float64  // a follower's own: what computing it is expected to take
}

// scraper is a policy that reads the replicas' metrics.
type scraper interface {
	scraped(replica int, s vllm.Stats)
}

// paced is a scraper that reads them every so many ns, at least 1.
type paced interface {
	scrapeEvery() int64
}

// timed is a policy that goes by time, in ns of the replay.
type timed interface {
	advance(now int64)
}

// follower is a policy that is told of a request's first token (of an answer that is not streamed, with its end) and of its end, unless
// its replica has left. Of one whose client hangs up first, only of its end.
type follower interface {
	first(replica int, r *request)
	end(replica int, r *request)
}

// hearer is a policy that hears what caches store and evict.
type hearer interface {
	// hear takes the tokens of a block, and what tells the leading blocks that a replica holds in its own and in host memory.
	hear(blockSize int, held holds)
}

// calibrated is a policy that is told the tokens a second of a prompt alone at a replica.
type calibrated interface {
	calibrate(rate float64)
}

// Engine runs a peer's policy. It implements router.Engine, router.Scraper, router.Watcher, router.Hearer and router.Calibrated.
type Engine struct {
	name      string
	policy    policy
	inspector *inspect.Inspector
	members   []*member
	inFlight  []int // at each of them
}

// Is says whether a configuration asks for a peer.
func Is(configuration []byte) bool {
	var c struct{ Policy string }
	return json.Unmarshal(configuration, &c) == nil && strings.HasPrefix(c.Policy, Prefix)
}

// New makes the engine that a configuration asks for, of which it takes policy, endpoints and seed. The error lists the
// peers there are.
func New(configuration []byte) (*Engine, error) {
	var c struct {
		Policy    string
		Endpoints json.RawMessage
		Seed      uint64
	}
	if err := json.Unmarshal(configuration, &c); err != nil {
		return nil, err
	}
	name := strings.TrimPrefix(c.Policy, Prefix)
	m, ok := makers[name]
	if !ok {
		return nil, fmt.Errorf("peer %q: none of that name; there are %s", name, strings.Join(Names(), ", "))
	}
	// The whole prompt counts, as these policies are given whole bodies. Without endpoints there are none until Watch says so.
	settings := map[string]any{"endpoints": c.Endpoints, "scan_bytes": 16 << 20}
	if string(c.Endpoints) == "[]" {
		settings["endpoints"] = []string{"127.0.0.1:8000"}
	}
	text, err := json.Marshal(settings)
	if err != nil {
		return nil, err
	}
	cfg, err := config.Parse(text)
	if err != nil {
		return nil, err
	}
	in, err := inspect.New(&cfg)
	if err != nil {
		return nil, err
	}
	in.KeepBytes = 16 << 20
	e := &Engine{name: c.Policy, policy: m.make(rand.New(rand.NewPCG(c.Seed, 17))), inspector: in}
	if string(c.Endpoints) != "[]" {
		for _, endpoint := range cfg.Endpoints {
			e.join(endpoint.Address)
		}
	}
	return e, nil
}

// Begin implements router.Engine.
func (e *Engine) Begin(_ int, r *router.Request) (router.Ticket, error) {
	p, end := e.read(r)
	defer end()
	asked := &request{prompt: p, tokens: trace.Tokens(len(p.Text)), blocks: r.Blocks, inFlight: e.inFlight}
	replica, reason := e.policy.pick(asked)
	e.inFlight[replica]++
	return &ticket{engine: e, member: e.members[replica], reason: reason, request: asked}, nil
}

// read is a request's prompt, until end. Where other engines are shown the request, too, they find in its memo what they would read.
func (e *Engine) read(r *router.Request) (p *shown, end func()) {
	if r.Memo != nil && *r.Memo != nil {
		return (*r.Memo).(*shown), func() {}
	}
	h := &inspect.Head{Method: "POST", Path: r.Path, ContentType: "application/json", NoBody: len(r.Body) == 0, Length: len(r.Body)}
	reading, verdict, _ := e.inspector.Begin(h)
	if verdict != inspect.Read {
		return &shown{}, func() {}
	}
	reading.Write(r.Body)
	p = &shown{}
	if read := reading.Request().Prompt; read != nil {
		p.Prompt = *read
	}
	if r.Memo == nil {
		return p, func() { e.inspector.End(reading) }
	}
	p.Prompt = prompt.Prompt{Text: bytes.Clone(p.Text), Session: bytes.Clone(p.Session), SessionFrom: p.SessionFrom}
	*r.Memo = p
	e.inspector.End(reading)
	return p, func() {}
}

// Scraped implements router.Scraper.
func (e *Engine) Scraped(address string, s vllm.Stats) {
	if reader, ok := e.policy.(scraper); ok {
		if m := e.at(address); m != nil {
			reader.scraped(m.place, s)
		}
	}
}

// ScrapeEvery implements router.Scraper: the policy's own period, else 50 ms, that of the endpoint picker, or never.
func (e *Engine) ScrapeEvery() int64 {
	if p, ok := e.policy.(paced); ok {
		return p.scrapeEvery()
	}
	if _, ok := e.policy.(scraper); ok {
		return 50e6
	}
	return 0
}

// Hear implements router.Hearer.
func (e *Engine) Hear(blockSize int, caches router.Caches) bool {
	h, may := e.policy.(hearer)
	if may {
		h.hear(blockSize, func(replica int, blocks []uint64) (held, inHost int) {
			return caches(e.members[replica].address, blocks)
		})
	}
	return may
}

// Calibrate implements router.Calibrated.
func (e *Engine) Calibrate(rate float64) {
	if c, may := e.policy.(calibrated); may {
		c.calibrate(rate)
	}
}

// Advance implements router.Engine.
func (e *Engine) Advance(now int64) {
	if p, ok := e.policy.(timed); ok {
		p.advance(now)
	}
}

// Next implements router.Engine.
func (e *Engine) Next() (int64, bool) { return 0, false }

// Close implements router.Engine.
func (e *Engine) Close() error { return nil }
