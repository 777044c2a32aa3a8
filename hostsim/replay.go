package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/decision"
	"warmroute/hostsim/internal/flags"
	"warmroute/hostsim/internal/host"
	"warmroute/hostsim/internal/input"
	"warmroute/hostsim/internal/ours"
	"warmroute/hostsim/internal/peers"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/replaypage"
	"warmroute/hostsim/internal/router"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/verdict"
	"warmroute/hostsim/internal/vllm"
)

// replayCmd replays a trace through the module, on simulated replicas, in virtual time.
type replayCmd struct {
	Trace         string        `help:"The trace, in the format mooncake, sessions, openai, azure or lmbench, the module's records, or a log that import reads; compressed by gzip or zstd or not; - is standard input." required:"" placeholder:"FILE"`
	SkipBad       bool          `help:"Skip and count bad lines instead of stopping at the first."`
	Skip          int           `help:"Skip so many lines first; times then count from the first request that is read."`
	Limit         int           `help:"Read only that many requests (of coding sessions: sessions)."`
	Policies      []string      `help:"Policies to compare; those of other projects are ${peers}." default:"round_robin,join_shortest_queue,prefix_hash,cache_aware"`
	Replicas      int           `help:"Number of replicas." default:"8" least:"1"`
	Ranks         int           `help:"So many of the replicas are data-parallel ranks of one server, behind one port, which chooses one by load unless the gateway names one (data_parallel_ranks; --plugin can take it back)." default:"1" least:"1"`
	Workers       int           `help:"Worker threads of each gateway." default:"2" least:"1"`
	Gateways      int           `help:"Number of gateways." default:"1" least:"1"`
	Sync          flags.Sync    `embed:"" set:"sync=50ms"`
	Profile       string        `help:"Cost profile of the replicas: ${profiles}, or a file; hostsim profile says more." default:"h100-8b" placeholder:"NAME|FILE"`
	Second        string        `name:"second-profile" help:"Another cost profile for the second half of the replicas." placeholder:"NAME|FILE"`
	Interval      bool          `help:"Replay each policy twice more, with steps as fast and as slow as the profile's interval allows."`
	Fleet         flags.Fleet   `embed:""`
	Zones         int           `help:"Replicas and gateways are spread over so many zones; 0: one. What crossing costs a policy is --plugin's cross_zone."`
	Delay         time.Duration `name:"zone-delay" help:"Time that a request and its answer take longer between two zones, half each way." default:"1ms" placeholder:"TIME"`
	Models        []string      `help:"Models, of two or more: each has an equal part of the replicas and is a pool; sessions take turns with them."`
	Adapters      int           `help:"LoRA adapters of each model; few have most of the sessions."`
	MaxLoras      int           `name:"max-loras" help:"Adapters that a replica holds at a time." default:"4"`
	LoraLoad      time.Duration `name:"lora-load" help:"Time that putting an adapter into a replica takes; of those that it held before, too." default:"500ms"`
	FrontEnd      time.Duration `name:"frontend" help:"CPU time of a request before its engine: client, proxy, HTTP server, tokenizer. On --cores, it slows the engines."`
	FrontEndToken time.Duration `name:"frontend-token" help:"The same for each token of its answer."`
	Cores         float64       `help:"The replicas share so many cores, as servers on one machine's processors do; 0: each has hardware of its own."`
	Blocks        flags.Blocks  `embed:""`
	KVTokens      int           `name:"kv-tokens" help:"KV capacity of a replica in tokens; 0: the profile's."`
	HostKV        float64       `name:"host-kv" help:"Replicas keep KV in host memory, so many times as much as in their own (vLLM's --kv-offloading-size, SGLang's --enable-hierarchical-cache); 0: what the profile says." placeholder:"TIMES"`
	Untold        bool          `help:"Answers do not tell their cached tokens, as vLLM's do not without --enable-prompt-tokens-details."`
	HangUp        float64       `name:"hang-up" help:"Share of the requests, 0 to 1, whose clients hang up before the answer has ended: these are aborted. None of them counts in times, also where an answer comes sooner." placeholder:"SHARE"`
	HangUpAfter   time.Duration `name:"hang-up-after" help:"Mean time after which they do, distributed exponentially." default:"2s" placeholder:"TIME"`
	Speed         float64       `help:"Requests arrive that many times as fast as recorded." default:"1"`
	Spread        time.Duration `help:"Arrivals come later by up to that, by chance. Mooncake's recordings have a clock of 3 s: their requests come in bursts that nobody sent." placeholder:"TIME"`
	Closed        bool          `help:"Closed loop: a turn waits for the answer to the one before it."`
	Clients       int           `help:"With --closed: the largest number of sessions at once; 0: no limit." placeholder:"N"`
	Whole         bool          `name:"whole-answers" help:"No client asks for a stream: each answer comes when it is complete."`
	Name          bool          `name:"name-sessions" help:"Requests name their session in the header x-session-id."`
	Scrape        time.Duration `help:"How often gateways read the replicas' metrics, at least 100ms; 0: never." default:"1s" placeholder:"TIME"`
	Answers       string        `help:"Replicas keep the tokens of answers that a later prompt of the session repeats, as vLLM does: ${enum}. auto: where the trace has prompts' text, or records." enum:"auto,yes,no" default:"auto"`
	Seed          uint64        `help:"Seed of the assignment to workers and of the policies." default:"1"`
	Plugin        string        `help:"File with further members of the module's configuration, as JSON or YAML; or a WasmPlugin, another resource or an Envoy configuration, whose module's settings are replayed, except where it runs." placeholder:"FILE"`
	Engine        string        `help:"wasm runs the module, native the same Go code without it." enum:"wasm,native" default:"wasm"`
	Wasm          string        `help:"The module's file." default:"build/warmroute.wasm"`
	JSON          string        `help:"Write the results to this file; - is standard output." placeholder:"FILE"`
	HTML          string        `help:"Write a page with plots to this file." placeholder:"FILE"`
}

// Run prints a table, a row for each policy.
func (c *replayCmd) Run(s *console.Streams) error {
	if err := console.Writable(c.JSON, c.HTML); err != nil {
		return err
	}
	if err := c.check(); err != nil {
		return err
	}
	t, err := input.Open(s, c.Trace, trace.Options{SkipBad: c.SkipBad, Skip: c.Skip, Limit: c.Limit, Model: vllm.DefaultModel, Seed: c.Seed}, c.timed())
	if err != nil {
		return err
	}
	if c.Answers != "auto" {
		t.Answers = c.Answers == "yes"
	}
	opt, module, err := c.options(s, t)
	if err != nil {
		return err
	}
	if module != nil {
		defer module.Close(s.Ctx)
	}
	var runs []*replay.Result
	var intervals []replay.Interval
	for _, policy := range c.Policies {
		opt.Policy = policy
		opt.Progress = s.Progress(policy)
		began := time.Now()
		r, err := replay.Run(s.Ctx, opt)
		if s.Stopped(err, len(runs), len(c.Policies), "policies") {
			break
		}
		if err != nil {
			return fmt.Errorf("policy %s: %w", policy, err)
		}
		s.ClearLine()
		fmt.Fprintf(s.Stderr, "%s: %d requests in %.1f s\n", policy, r.Requests, time.Since(began).Seconds())
		if r.Rejected == r.Requests {
			return fmt.Errorf("policy %s: prompt and answer of every request are longer than a replica's memory of %d KV tokens", policy, opt.Profile.KVTokens())
		}
		if len(r.TTFTs) == 0 {
			return fmt.Errorf("policy %s: no request is left that counts: --hang-up %v", policy, c.HangUp)
		}
		if r.HungUp > 0 {
			fmt.Fprintf(s.Stderr, "%s: the clients of %d of %d requests hung up\n", policy, r.HungUp, r.Requests)
		}
		if r.Rejected > 0 {
			fmt.Fprintf(s.Stderr, "%s: %d of them were refused, and count in no time: prompt and answer are longer than a replica's memory of %d KV tokens\n", policy, r.Rejected, opt.Profile.KVTokens())
		}
		runs = append(runs, r)
		if c.Interval {
			between, err := replay.Between(s.Ctx, opt, r)
			if err != nil {
				return fmt.Errorf("policy %s: %w", policy, err)
			}
			intervals = append(intervals, between)
		}
	}
	if err := c.write(s, &opt, runs); err != nil {
		return err
	}
	return errors.Join(replaypage.WriteIntervals(s.Tables(c.JSON), opt.Profile.Name, opt.Profile.Error, intervals), s.ErrStopped())
}

func (c *replayCmd) hangUps() replay.HangUps {
	return replay.HangUps{Share: c.HangUp, After: c.HangUpAfter}
}

func (c *replayCmd) options(s *console.Streams, t *trace.Trace) (replay.Options, *host.Module, error) {
	opt := replay.Options{
		Trace: t, Replicas: c.Replicas, Ranks: c.Ranks, Cores: c.Cores, FrontEnd: replay.FrontEnd{Request: c.FrontEnd, Token: c.FrontEndToken}, Workers: c.Workers, Gateways: c.Gateways, Speed: c.Speed, Spread: c.Spread, Closed: c.Closed, Seed: c.Seed,
		Concurrency: c.Clients, NameSessions: c.Name, Whole: c.Whole, Untold: c.Untold, Scrape: c.Scrape, Detail: c.HTML != "",
		Engine:  contender.Native,
		HangUps: c.hangUps(),
		Zones:   c.zones(),
		Models:  replay.Models{Names: c.Models, Adapters: c.Adapters},
	}
	var err error
	if opt.Sync, err = c.Sync.Options(c.Gateways); err != nil {
		return opt, nil, err
	}
	if err := c.Fleet.Set(&opt); err != nil {
		return opt, nil, err
	}
	if c.Fleet.Rollout != "" && c.Second != "" {
		return opt, nil, errors.New("--rollout and --second-profile do not go together: the second half of the replicas are those that replace the others")
	}
	profile, err := c.Blocks.Load(c.Profile)
	if err != nil {
		return opt, nil, err
	}
	if opt.Profile, err = replay.Fit(profile, t, c.KVTokens); err != nil {
		return opt, nil, err
	}
	if c.Second != "" {
		second, err := c.Blocks.Load(c.Second)
		if err == nil {
			second, err = replay.Fit(second, t, c.KVTokens)
		}
		if err != nil {
			return opt, nil, err
		}
		opt.Second = &second
	}
	if c.HostKV > 0 {
		opt.KeepInHost(c.HostKV)
	}
	if c.Adapters > 0 {
		opt.Profile.MaxLoRAs, opt.Profile.LoRAActivate = c.MaxLoras, float64(c.LoraLoad)
	}
	if c.Plugin != "" {
		if opt.Plugin, err = input.Plugin(s, c.Plugin); err != nil {
			return opt, nil, err
		}
	}
	if c.Engine == "native" {
		return opt, nil, nil
	}
	module, err := ours.Load(s.Ctx, c.Wasm)
	opt.Engine = func(configuration []byte, workers int) (router.Engine, error) {
		if peers.Is(configuration) {
			return peers.New(configuration)
		}
		return ours.StartWasm(s.Ctx, module, configuration, workers, nil)
	}
	return opt, module, err
}

func (c *replayCmd) zones() replay.Zones {
	if c.Zones == 0 {
		return replay.Zones{}
	}
	return replay.Zones{Count: c.Zones, Delay: c.Delay}
}

// write prints the table, and writes JSON and HTML where asked for.
func (c *replayCmd) write(s *console.Streams, opt *replay.Options, runs []*replay.Result) error {
	comparison := replaypage.Comparison{
		Title: fmt.Sprintf("%d requests, %d replicas (%s, %v, %d KV tokens each), %d × %d workers, speed %g",
			len(opt.Trace.Requests), c.Replicas, c.Profile, &opt.Profile, opt.Profile.KVTokens(), c.Gateways, c.Workers, c.Speed),
		Runs: runs, Meaning: decision.Meaning,
	}
	if bounds, err := verdict.NewBounds(opt); err != nil {
		fmt.Fprintf(s.Stderr, "no bounds: %v\n", err)
	} else {
		comparison.Bounds = &bounds
		comparison.Note = fmt.Sprintf("A single cache that never forgets would hit %.1f %% of the tokens, a fleet of this memory %.1f %% at most.", 100*bounds.Infinite, 100*bounds.Pooled)
	}
	words := verdict.Of(runs, comparison.Bounds)
	written := c.writeFiles(s, opt, &comparison, words, runs)
	for _, t := range comparison.Tables() {
		if err := t.WriteText(s.Tables(c.JSON)); err != nil {
			return errors.Join(written, err)
		}
	}
	_, err := fmt.Fprintln(s.Tables(c.JSON), words)
	return errors.Join(written, err)
}

// writeFiles writes what is asked for, before anything is printed: whoever reads that may end the program by closing the pipe.
func (c *replayCmd) writeFiles(s *console.Streams, opt *replay.Options, comparison *replaypage.Comparison, words string, runs []*replay.Result) error {
	in := input.NewNotes(opt.Trace, &opt.Profile)
	if c.JSON != "" {
		if err := s.WriteJSON(c.JSON, map[string]any{"runs": runs, "bounds": comparison.Bounds, "verdict": words, "input": in}); err != nil {
			return err
		}
	}
	if c.HTML == "" {
		return nil
	}
	page, err := comparison.Page()
	if err != nil {
		return err
	}
	page.Sections = append(page.Sections, in.Section())
	page.Title = "warmroute replay: " + filepath.Base(c.Trace)
	page.Foot = fmt.Sprintf("hostsim replay, engine %s, seed %d; %d replicas of %s, %d KV tokens each, simulated in virtual time.", c.Engine, c.Seed, c.Replicas, c.Profile, opt.Profile.KVTokens())
	return s.WritePage(page, c.HTML)
}
