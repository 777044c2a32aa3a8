package main

import (
	"fmt"
	"path/filepath"

	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/loads"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/study"
	"warmroute/hostsim/internal/sweep"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
)

// studied is what a study replays: a trace, or a load of our own.
type studied struct {
	Trace    string  `help:"The trace or log (docs/traces.md has the shapes), compressed by gzip or zstd or not; - is standard input. Without it the studies, not advise, take a load of their own." placeholder:"FILE"`
	Limit    int     `help:"Read only that many requests (of coding sessions: sessions)."`
	Replicas int     `help:"Number of replicas." default:"8" least:"1"`
	Profile  string  `help:"Cost profile of the replicas: ${profiles}, or a file; hostsim profile says more." default:"h100-8b" placeholder:"NAME|FILE"`
	KVTokens int     `name:"kv-tokens" help:"KV capacity of a replica in tokens; 0: the profile's."`
	Speed    float64 `help:"Requests arrive that many times as fast as recorded." default:"1"`
	Seed     uint64  `help:"Seed of the load and of the assignment to workers." default:"1"`
}

// sweep is what the study's runs have in common, and words for it. Studies run natively: hundreds of replays.
func (c *studied) sweep(s *streams) (*sweep.Sweep, string, error) {
	p, err := vllm.LoadProfile(c.Profile)
	if err != nil {
		return nil, "", err
	}
	var t *trace.Trace
	what := "a made load"
	if c.Trace != "" {
		what = filepath.Base(c.Trace)
		if t, err = openTrace(s, c.Trace, trace.Options{Limit: c.Limit, Model: fleet.DefaultModel, Seed: c.Seed}, false); err != nil {
			return nil, "", err
		}
	} else {
		if c.KVTokens > 0 {
			if p, err = p.WithKVTokens(c.KVTokens); err != nil {
				return nil, "", err
			}
		}
		t = loads.Usual.Trace(c.Seed, c.Replicas, p)
	}
	if p, err = replay.Fit(p, t, c.KVTokens); err != nil {
		return nil, "", err
	}
	what = fmt.Sprintf("%s, %d requests on %d replicas (%s, %d KV tokens each), native engine, seed %d", what, len(t.Requests), c.Replicas, c.Profile, p.KVTokens(), c.Seed)
	return &sweep.Sweep{Context: s.ctx, Progress: s.at, Base: replay.Options{
		Trace: t, Replicas: c.Replicas, Workers: 2, Gateways: 1, Profile: p, Speed: c.Speed, Seed: c.Seed, Engine: contender.Native, Scrape: contender.ScrapeEvery,
	}}, what, nil
}

// studyTradeoffCmd weighs affinity against load.
type studyTradeoffCmd struct {
	studied
	output
	Affinities []float64 `help:"Values of cache_aware.affinity to try." default:"0,0.25,0.5,1,2,4,8"`
	Loads      []float64 `help:"How many times as fast as recorded." default:"0.5,1,1.5,2"`
	Seeds      int       `help:"Number of arrangements of the trace: in each but the first, every session starts up to 20 s earlier or later." default:"3" least:"1"`
}

// Run prints the surface and whether one setting is robust.
func (c *studyTradeoffCmd) Run(s *streams) error {
	if err := c.try(); err != nil {
		return err
	}
	sweep, what, err := c.sweep(s)
	if err != nil {
		return err
	}
	points, err := study.Tradeoff(sweep, c.Affinities, c.Loads, c.Seeds)
	if err != nil && !s.stopped(err, len(points), len(c.Affinities)*len(c.Loads), "settings") {
		return err
	}
	page, err := study.TradeoffPage(points, what)
	if err != nil {
		return err
	}
	clearLine(s)
	return c.write(s, page, map[string]any{"points": points})
}

// studyWorkloadCmd asks which workloads gain.
type studyWorkloadCmd struct {
	output
	Replicas int    `help:"Number of replicas, where that is not varied." default:"8" least:"1"`
	Profile  string `help:"Cost profile of the replicas: ${profiles}, or a file; hostsim profile says more." default:"h100-8b" placeholder:"NAME|FILE"`
	Seeds    int    `help:"Number of random loads for each point." default:"3" least:"1"`
}

// Run prints the gain along each factor.
func (c *studyWorkloadCmd) Run(s *streams) error {
	if err := c.try(); err != nil {
		return err
	}
	p, err := vllm.LoadProfile(c.Profile)
	if err != nil {
		return err
	}
	runs := &sweep.Sweep{Context: s.ctx, Progress: s.at, Base: replay.Options{
		Replicas: c.Replicas, Workers: 2, Gateways: 1, Profile: p, Speed: 1, Engine: contender.Native, Scrape: contender.ScrapeEvery,
	}}
	points, err := study.Workload(runs, c.Seeds)
	if err != nil && !s.stopped(err, len(points), study.WorkloadPoints(), "workloads") {
		return err
	}
	page, err := study.WorkloadPage(points, p, c.Replicas)
	if err != nil {
		return err
	}
	clearLine(s)
	return c.write(s, page, map[string]any{"points": points})
}

// studyStalenessCmd lets knowledge grow old.
type studyStalenessCmd struct {
	studied
	output
}

// Run prints what each age costs.
func (c *studyStalenessCmd) Run(s *streams) error {
	if err := c.try(); err != nil {
		return err
	}
	sweep, what, err := c.sweep(s)
	if err != nil {
		return err
	}
	points, err := study.Staleness(sweep)
	if err != nil && !s.stopped(err, len(points), sweep.Total, "replays") {
		return err
	}
	page, err := study.StalenessPage(points, what)
	if err != nil {
		return err
	}
	clearLine(s)
	return c.write(s, page, map[string]any{"points": points})
}
