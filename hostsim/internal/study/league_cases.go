package study

import (
	"cmp"

	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/loads"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
)

// LeagueCase is a load on a fleet, on which every policy is judged.
type LeagueCase struct {
	ID   string
	What string

	published bool // needs the folder of traces
	load      loads.Load
	replicas  int // 0: 8
	profile   func() (vllm.Profile, error)
	fit       bool                         // the profile's blocks are made the load's, and its memory kvTokens
	second    func() (vllm.Profile, error) // of the second half of the replicas; nil: as the first
	kvTokens  int                          // of a replica; 0: the profile's
	longest   int                          // tokens of a request that is not refused; 0: what fits
	speed     float64                      // 0: 1
	gateways  int                          // 0: 1
	workers   int                          // 0: 2
	slower    []float64
	closed    bool
	clients   int
	twice     bool // the second pass counts, on warm caches
	rate      bool // judged by requests a second, not by TTFT
	named     bool // sessions are named to every policy
	varies    bool // one seed differs from another by half, as near overload: more are run
	phases    []loads.Phase
	drawn     bool // by chance: DrawnCases
}

func profile(name string) func() (vllm.Profile, error) {
	return func() (vllm.Profile, error) { return vllm.LoadProfile(name) }
}

// Loads of our own that saturate a fleet.
var (
	// heavy sessions saturate eight h100-8b at about 1.8 a second: at 1.8 the first token takes 1.0 s, at 2.4 23 s.
	heavy    = loads.Made{Reuse: 0.3, Prefixes: 16, PrefixTokens: 24000, Turns: 3, TurnTokens: 4000, OutputTokens: 150, Think: 10, Load: 1}
	overload = []loads.Phase{{Seconds: 300, Rate: 0.7}, {Seconds: 600, Rate: 2.4}, {Seconds: 900, Rate: 0.7}}

	// longer sessions saturate two h100-8b at about 1.7 a second, by the memory that running and paused ones take; at 2.3 the first token
	// takes five seconds after three minutes, a hundred after 16.
	longer = loads.Made{Reuse: 0.8, Prefixes: 16, PrefixTokens: 8000, Turns: 4, TurnTokens: 1500, OutputTokens: 150, Think: 10, Load: 1}
	rush   = []loads.Phase{{Seconds: 120, Rate: 1.2}, {Seconds: 180, Rate: 3}, {Seconds: 600, Rate: 1.2}}
)

// LeagueCases are the league, in the order of its table.
var LeagueCases = []LeagueCase{
	{ID: "conversation", What: "Mooncake conversations, 1,536,000 KV tokens", published: true, load: loads.Recorded(loads.ConversationFile), kvTokens: 3000 * 512},
	{ID: "conversation-small", What: "the same × 1.5, 409,600", published: true, load: loads.Recorded(loads.ConversationFile), kvTokens: 800 * 512, speed: 1.5},
	{ID: "synthetic", What: "Mooncake synthetic, 1,536,000", published: true, load: loads.Recorded(loads.SyntheticFile), kvTokens: 3000 * 512},
	{ID: "synthetic-small", What: "the same × 2, 409,600", published: true, load: loads.Recorded(loads.SyntheticFile), kvTokens: 800 * 512, speed: 2},
	{ID: "coding-small", What: "coding sessions 1–60, 400,000", published: true, load: loads.CodingSessions(0, 60), kvTokens: 400_000, varies: true},
	{ID: "coding", What: "coding sessions 1–60, 800,000", published: true, load: loads.CodingSessions(0, 60), kvTokens: 800_000, varies: true},
	{ID: "coding-201", What: "coding sessions 201–260, 800,000", published: true, load: loads.CodingSessions(200, 60), kvTokens: 800_000, varies: true},
	{ID: "conversation-2gw", What: "conversations, two gateways", published: true, load: loads.Recorded(loads.ConversationFile), kvTokens: 3000 * 512, gateways: 2},
	{ID: "synthetic-4gw", What: "synthetic, four gateways", published: true, load: loads.Recorded(loads.SyntheticFile), kvTokens: 3000 * 512, gateways: 4},
	{ID: "coding-named", What: "coding sessions 1–60 that are named, 400,000, two gateways", published: true, load: loads.CodingSessions(0, 60), kvTokens: 400_000, gateways: 2, named: true, varies: true},

	{ID: "kubeai-8", What: "KubeAI 8 × L4, 800 at a time", load: kubeLoad(func(seed uint64) *trace.Trace { return loads.RepeatedPrompts(seed, 800) }), profile: loads.L4(0.95, 131_072), closed: true, clients: 800, twice: true, rate: true},
	{ID: "kubeai-70b", What: "KubeAI 8 × 70B on one H100 each, 320 threads", load: kubeLoad(loads.ChatThreads), profile: loads.H100For70B, closed: true, clients: 320, twice: true, rate: true},
	{ID: "kubeai-2", What: "KubeAI 2 × L4 at 60 % of the memory, 80 threads", load: kubeLoad(loads.ChatThreads), replicas: 2, profile: loads.L4(0.60, 131_072), closed: true, clients: 80, twice: true, rate: true},

	{ID: "hot-short", What: "a prompt that 80 % begin with, 20/s, answers of 64 tokens", load: loads.Hot(4000, 20, 0.8, 64)},
	{ID: "hot-short-1w", What: "the same, one worker", load: loads.Hot(4000, 20, 0.8, 64), workers: 1},
	{ID: "hot-long", What: "the same, 40/s, answers of 400 tokens", load: loads.Hot(6000, 40, 0.8, 400)},
	{ID: "usual-1", What: "a load of our own, 1 replica", load: loads.Of(loads.Usual), replicas: 1},
	{ID: "usual-2", What: "2 replicas", load: loads.Of(loads.Usual), replicas: 2},
	{ID: "usual-4", What: "4 replicas", load: loads.Of(loads.Usual), replicas: 4},
	{ID: "usual-16", What: "16 replicas", load: loads.Of(loads.Usual.Busier(0.7, 6000)), replicas: 16},
	{ID: "usual-64", What: "64 replicas", load: loads.Of(loads.Usual.Busier(0.7, 16000)), replicas: 64},
	{ID: "busy", What: "8 replicas, six times the load", load: loads.Of(loads.Usual.Busier(4, 6000))},
	{ID: "mixed", What: "8 replicas, one at half speed", load: loads.Of(loads.Usual), slower: []float64{2}},
	{ID: "strangers", What: "prompts that nothing shares", load: loads.Of(loads.Strangers)},
	{ID: "agents", What: "agents of 25 turns, 400,000", load: loads.Of(loads.Agents), kvTokens: 400_000, varies: true},
	{ID: "agents-4", What: "agents, 4 workers", load: loads.Of(loads.Agents), kvTokens: 400_000, workers: 4, varies: true},
	{ID: "agents-4gw", What: "agents, 4 gateways", load: loads.Of(loads.Agents), kvTokens: 400_000, gateways: 4, varies: true},
	{ID: "named-2gw", What: "8 replicas, two gateways, sessions are named", load: loads.Of(loads.Usual), gateways: 2, named: true},
	{ID: "overload", What: "1.3 × capacity for ten minutes", load: loads.Phased(heavy, overload...), closed: true, varies: true, phases: overload},
	{ID: "overload-2", What: "2 replicas, 1.8 × capacity for three minutes, then .7 of it", load: loads.Phased(longer, rush...), replicas: 2, closed: true, varies: true, phases: rush},
}

// kubeLoad is one of KubeAI's loads, twice in a row.
func kubeLoad(draw func(seed uint64) *trace.Trace) loads.Load {
	return func(d *loads.Drawing) (*trace.Trace, error) { return loads.Twice(draw(d.Seed)), nil }
}

// options are the replay of a case; those of the policy are to be added.
func (c *LeagueCase) options(folder string, seed uint64) (replay.Options, error) {
	o := replay.Options{
		Replicas: cmp.Or(c.replicas, 8), Workers: cmp.Or(c.workers, 2), Gateways: cmp.Or(c.gateways, 1), Speed: cmp.Or(c.speed, 1), Slower: c.slower,
		Closed: c.closed, Concurrency: c.clients, Seed: seed, NameSessions: c.named, Detail: c.twice || len(c.phases) > 0, Engine: contender.Native,
	}
	load := c.profile
	if load == nil {
		load = profile("h100-8b")
	}
	p, err := load()
	if err != nil {
		return o, err
	}
	if o.Trace, err = c.load(&loads.Drawing{Folder: folder, Seed: seed, Replicas: o.Replicas, Profile: p}); err != nil {
		return o, err
	}
	o.Profile = p
	if c.profile == nil || c.fit {
		o.Profile, err = replay.Fit(p, o.Trace, c.kvTokens)
	}
	if c.second != nil && err == nil {
		var second vllm.Profile
		if second, err = c.second(); err == nil {
			second, err = replay.Fit(second, o.Trace, c.kvTokens)
		}
		o.Second = &second
	}
	if c.longest > 0 {
		o.Profile.MaxModelLen = min(o.Profile.MaxModelLen, c.longest)
	}
	return o, err
}

// Published says whether the case needs the folder of traces.
func (c *LeagueCase) Published() bool { return c.published }

// Within is how far from the best counts as best: where seeds differ by half, more.
func (c *LeagueCase) Within() float64 {
	if c.varies {
		return 1.05
	}
	return 1.02
}
