package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/host"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/report"
	"warmroute/hostsim/internal/trace"
)

// replayCmd replays a trace through the module, on simulated replicas, in virtual time.
type replayCmd struct {
	Trace    string   `help:"The trace: mooncake, sessions, openai, azure or lmbench, gzipped or not." required:"" placeholder:"FILE"`
	SkipBad  bool     `help:"Leave out and count bad lines instead of stopping at the first."`
	Limit    int      `help:"Read that many requests only (of coding sessions: sessions)."`
	Policies []string `help:"Policies to compare." default:"random,round_robin,prefix_hash"`
	Replicas int      `help:"How many replicas." default:"8"`
	Workers  int      `help:"Worker threads of each gateway." default:"2"`
	Gateways int      `help:"Gateways, which share nothing." default:"1"`
	Profile  string   `help:"What the replicas run on." default:"h100-8b"`
	KVTokens int      `name:"kv-tokens" help:"KV capacity of a replica in tokens; 0 is the profile's."`
	Speed    float64  `help:"Requests arrive that many times faster than recorded." default:"1"`
	Closed   bool     `help:"A turn waits for the answer to the one before it."`
	Live     int      `help:"With --closed: sessions under way at once, the next beginning when one ends; 0: each at its recorded time."`
	Seed     uint64   `help:"Seed of the spread over workers and of the policies." default:"1"`
	Plugin   string   `help:"File with further members of the module's configuration, JSON." placeholder:"FILE"`
	Engine   string   `help:"wasm runs the module, native the same Go code." enum:"wasm,native" default:"wasm"`
	Wasm     string   `help:"The module." default:"build/warmroute.wasm"`
	JSON     string   `help:"Write the results here." placeholder:"FILE"`
	HTML     string   `help:"Write a page with plots here." placeholder:"FILE"`
}

// Run prints a table, a row for each policy.
func (c *replayCmd) Run(s *streams) error {
	t, err := trace.Open(c.Trace, trace.Options{SkipBad: c.SkipBad, Limit: c.Limit, Model: fleet.DefaultModel, Seed: c.Seed})
	if err != nil {
		return err
	}
	if t.Skipped > 0 {
		fmt.Fprintf(s.stderr, "%s: bad lines left out: %d\n", c.Trace, t.Skipped)
	}
	opt, module, err := c.options(s, t)
	if err != nil {
		return err
	}
	if module != nil {
		defer module.Close(s.ctx)
	}
	var runs []*replay.Result
	for _, policy := range c.Policies {
		opt.Policy = policy
		opt.Progress = progress(s, policy)
		began := time.Now()
		r, err := replay.Run(s.ctx, opt)
		if err != nil {
			return fmt.Errorf("policy %s: %w", policy, err)
		}
		clearLine(s)
		fmt.Fprintf(s.stderr, "%s: %d requests in %.1f s\n", policy, r.Requests, time.Since(began).Seconds())
		runs = append(runs, r)
	}
	return c.write(s, &opt, runs)
}

func (c *replayCmd) options(s *streams, t *trace.Trace) (replay.Options, *host.Module, error) {
	opt := replay.Options{
		Trace: t, Replicas: c.Replicas, Workers: c.Workers, Gateways: c.Gateways, Speed: c.Speed, Closed: c.Closed, Live: c.Live, Seed: c.Seed,
		Engine: func(configuration []byte, workers int) (replay.Engine, error) {
			return replay.NewNative(configuration, workers)
		},
	}
	profile, err := fleet.LoadProfile(c.Profile)
	if err != nil {
		return opt, nil, err
	}
	if opt.Profile, err = replay.Fit(profile, t, c.KVTokens); err != nil {
		return opt, nil, err
	}
	if c.Plugin != "" {
		text, err := os.ReadFile(c.Plugin)
		if err != nil {
			return opt, nil, err
		}
		if err := json.Unmarshal(text, &opt.Plugin); err != nil {
			return opt, nil, fmt.Errorf("%s: %w", c.Plugin, err)
		}
	}
	if c.Engine == "native" {
		return opt, nil, nil
	}
	module, err := replay.Load(s.ctx, c.Wasm)
	opt.Engine = func(configuration []byte, workers int) (replay.Engine, error) {
		return replay.StartWasm(s.ctx, module, configuration, workers, nil)
	}
	return opt, module, err
}

// write prints the table, and writes JSON and HTML where asked for.
func (c *replayCmd) write(s *streams, opt *replay.Options, runs []*replay.Result) error {
	table := report.Table{
		Title: fmt.Sprintf("%d requests, %d replicas (%s, %d KV tokens each), %d × %d workers, speed %g",
			len(opt.Trace.Requests), c.Replicas, c.Profile, opt.Profile.KVTokens(), c.Gateways, c.Workers, c.Speed),
		Note:    fmt.Sprintf("A single cache that never forgets would hit %.1f %% of the tokens.", 100*runs[0].InfiniteCache),
		Columns: []string{"policy", "hit rate", "imbalance", "TTFT mean ms", "P50", "P95", "P99", "TPOT mean ms", "goodput/s"},
	}
	var ttfts []report.Series
	for _, r := range runs {
		table.Rows = append(table.Rows, []string{r.Policy, decimal(100*r.TokenHitRatio, 1) + "%", decimal(r.Imbalance, 3), decimal(r.TTFT.Mean, 1),
			decimal(r.TTFT.P50, 1), decimal(r.TTFT.P95, 1), decimal(r.TTFT.P99, 1), decimal(r.TPOT.Mean, 2), decimal(r.GoodputRPS, 2)})
		ttfts = append(ttfts, report.Series{Name: r.Policy, Values: r.TTFTs})
	}
	if err := table.WriteText(s.stdout); err != nil {
		return err
	}
	if c.JSON != "" {
		text, err := json.MarshalIndent(map[string]any{"runs": runs}, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(c.JSON, append(text, '\n'), 0o644); err != nil {
			return err
		}
	}
	if c.HTML == "" {
		return nil
	}
	plot, err := report.Distribution("time to first token, ms", ttfts)
	if err != nil {
		return err
	}
	page := report.Page{
		Title: "warmroute replay", Lead: table.Note, Sections: []report.Section{{Table: table, Plot: plot}},
		Foot: fmt.Sprintf("hostsim replay, engine %s, seed %d; replicas are simulated in virtual time.", c.Engine, c.Seed),
	}
	file, err := os.Create(c.HTML)
	if err != nil {
		return err
	}
	return errors.Join(page.WriteHTML(file), file.Close())
}

// progress shows a line on a terminal, and nothing elsewhere.
func progress(s *streams, what string) func(done, total int) {
	if !terminal(s) {
		return nil
	}
	return func(done, total int) {
		if done%100 == 0 {
			fmt.Fprintf(s.stderr, "\r%s %d of %d", what, done, total)
		}
	}
}

func clearLine(s *streams) {
	if terminal(s) {
		fmt.Fprintf(s.stderr, "\r%s\r", strings.Repeat(" ", 60))
	}
}

// terminal reports whether stderr is one.
func terminal(s *streams) bool {
	file, ok := s.stderr.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
