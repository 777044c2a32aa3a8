package flags

import (
	"errors"
	"fmt"
	"path/filepath"

	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/input"
	"warmroute/hostsim/internal/loads"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/sweep"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
)

// Studied is what a study replays: a trace, or a load of our own.
type Studied struct {
	Trace    string  `help:"The trace or log (docs/traces.md has the shapes), compressed by gzip or zstd or not; - is standard input. Without it the studies, not advise, take a load of their own." placeholder:"FILE"`
	Limit    int     `help:"Read only that many requests (of coding sessions: sessions)."`
	Replicas int     `help:"Number of replicas." default:"8" least:"1"`
	Profile  string  `help:"Cost profile of the replicas: ${profiles}, or a file; hostsim profile says more." default:"h100-8b" placeholder:"NAME|FILE"`
	KVTokens int     `name:"kv-tokens" help:"KV capacity of a replica in tokens; 0: the profile's."`
	Speed    float64 `help:"Requests arrive that many times as fast as recorded." default:"1"`
	Seed     uint64  `help:"Seed of the load and of the assignment to workers." default:"1"`
}

// Sweep is what the runs have in common, and words for it. Errors: a file that cannot be read, and a profile or trace that is none.
// Studies run natively: hundreds of replays.
func (c *Studied) Sweep(s *console.Streams) (*sweep.Sweep, string, error) {
	p, err := vllm.LoadProfile(c.Profile)
	if err != nil {
		return nil, "", err
	}
	var t *trace.Trace
	what := "a made load"
	if c.Trace != "" {
		what = filepath.Base(c.Trace)
		if t, err = input.Open(s, c.Trace, trace.Options{Limit: c.Limit, Model: vllm.DefaultModel, Seed: c.Seed}, false); err != nil {
			return nil, "", err
		}
	} else {
		if c.Limit > 0 {
			return nil, "", errors.New("--limit goes with --trace")
		}
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
	return &sweep.Sweep{Context: s.Ctx, Progress: s.At, Base: replay.Options{
		Trace: t, Replicas: c.Replicas, Workers: 2, Gateways: 1, Profile: p, Speed: c.Speed, Seed: c.Seed, Engine: contender.Native, Scrape: contender.ScrapeEvery,
	}}, what, nil
}
