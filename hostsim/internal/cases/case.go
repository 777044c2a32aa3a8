// Package cases has what policies are judged on: the cases of the league, and as many as wanted that chance draws from a wide space of
// loads and fleets. A case is a load, a fleet and what counts there; it becomes a replay without its policy. It knows no result.
package cases

import (
	"cmp"

	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/loads"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/vllm"
)

// Case is a load on a fleet, on which every policy is judged. What is zero is usual: eight replicas of h100-8b with its memory, behind
// one gateway with two workers.
type Case struct {
	ID   string
	What string // the load and the fleet, in words

	Load      loads.Load
	Published bool                         // the load needs the folder of published traces
	Speed     float64                      // requests come that many times as fast as recorded; 0: 1
	Closed    bool                         // turns wait for the answer to the one before
	Clients   int                          // with Closed, sessions under way at a time; 0: any number
	Named     bool                         // sessions are named to every policy
	Replicas  int                          // 0: 8
	Profile   func() (vllm.Profile, error) // of the replicas; nil: h100-8b, fitted
	Fit       bool                         // the profile's blocks are made the load's, and its memory KVTokens
	Second    func() (vllm.Profile, error) // of the second half of the replicas; nil: as the first
	Slower    []float64                    // by replica: its steps take that many times as long; those beyond the list: once
	KVTokens  int                          // of a replica; 0: the profile's
	SecondKV  int                          // of one of the second half; 0: as those of the first
	HostKV    float64                      // replicas keep KV in host memory, so many times as much as in their own; 0: none
	Untold    bool                         // answers do not tell their cached tokens
	Longest   int                          // tokens of a request that is not refused; 0: what fits
	Gateways  int                          // 0: 1
	Workers   int                          // of each gateway; 0: 2

	Twice    bool           // the load comes twice and the second pass counts, on warm caches
	Rate     bool           // judged by requests a second, not by TTFT
	Varies   bool           // one seed differs from another by half, as near overload: more are run
	HangUps  replay.HangUps // clients that do not wait
	Changing Changing       // replicas join and leave while it comes
	Phases   []loads.Phase  // of the load, which are shown each by itself; at least three, or none
	Drawn    bool           // by chance, by Drawn
}

// Options are the replay of a case with that seed, from 1 on; those of the policy are to be added. folder has the published traces.
// Errors: a trace that cannot be read, a load that the profile does not fit.
func (c *Case) Options(folder string, seed uint64) (replay.Options, error) {
	o := replay.Options{
		Replicas: cmp.Or(c.Replicas, 8), Workers: cmp.Or(c.Workers, 2), Gateways: cmp.Or(c.Gateways, 1), Speed: cmp.Or(c.Speed, 1), Slower: c.Slower,
		Closed: c.Closed, Concurrency: c.Clients, Seed: seed, NameSessions: c.Named, HangUps: c.HangUps, Untold: c.Untold, Detail: c.Twice || len(c.Phases) > 0, Engine: contender.Native,
	}
	load := c.Profile
	if load == nil {
		load = profile("h100-8b")
	}
	p, err := load()
	if err != nil {
		return o, err
	}
	if o.Trace, err = c.Load(&loads.Drawing{Folder: folder, Seed: seed, Replicas: o.Replicas, Profile: p}); err != nil {
		return o, err
	}
	o.Profile = p
	if c.Profile == nil || c.Fit {
		o.Profile, err = replay.Fit(p, o.Trace, c.KVTokens)
	}
	if c.Second != nil && err == nil {
		var second vllm.Profile
		if second, err = c.Second(); err == nil {
			second, err = replay.Fit(second, o.Trace, cmp.Or(c.SecondKV, c.KVTokens))
		}
		o.Second = &second
	}
	if c.HostKV > 0 {
		o.KeepInHost(c.HostKV)
	}
	if c.Changing.Kind != "" && err == nil {
		c.Changing.apply(&o)
	}
	if c.Longest > 0 {
		o.Profile.MaxModelLen = min(o.Profile.MaxModelLen, c.Longest)
	}
	return o, err
}

// Within is how many times the best still counts as best, ≥ 1: where seeds differ by half, more.
func (c *Case) Within() float64 {
	if c.Varies {
		return 1.05
	}
	return 1.02
}

func profile(name string) func() (vllm.Profile, error) {
	return func() (vllm.Profile, error) { return vllm.LoadProfile(name) }
}
