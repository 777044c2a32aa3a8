package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"warmroute/hostsim/internal/bench"
	"warmroute/hostsim/internal/calibrate"
	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/vllm"
)

// calibrateCmd fits a profile to a server.
type calibrateCmd struct {
	Log   calibrateLogCmd   `cmd:"" help:"From the log of a server's requests, with their times."`
	Pages calibratePagesCmd `cmd:"" help:"From two readings of a server's /metrics under load."`
	Probe calibrateProbeCmd `cmd:"" help:"From a short run against one idle server."`
}

// calibrateBase is what the three have in common.
type calibrateBase struct {
	Profile string             `help:"The profile to start from: the card and model, as hostsim profile lists them (any CARD[xN]-MODEL), or a file." required:"" placeholder:"NAME|FILE"`
	Set     map[string]float64 `help:"Limits as the server was started, such as max_num_seqs=128 or kv_blocks=26000; any number of a profile file." placeholder:"FIELD=NUMBER,…" mapsep:","`
	Out     string             `help:"Write the calibrated profile to this file." placeholder:"FILE.json"`
}

func (c *calibrateBase) load() (vllm.Profile, error) {
	if err := console.Writable(c.Out); err != nil {
		return vllm.Profile{}, err
	}
	return loadWith(c.Profile, c.Set, "--set of hostsim calibrate")
}

// finish prints what was fitted and what was not, and writes the profile.
func (c *calibrateBase) finish(w io.Writer, f *calibrate.Fitted, cannot ...string) error {
	if err := f.WriteTable(w, cannot...); err != nil || c.Out == "" {
		return err
	}
	text, err := f.Profile.MarshalJSON()
	if err != nil {
		return err
	}
	if err := os.WriteFile(c.Out, text, 0o644); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\n%s: written; use it with --profile %s\n", c.Out, c.Out)
	return err
}

type calibrateLogCmd struct {
	calibrateBase `embed:""`
	File          string  `arg:"" help:"JSONL of {arrival, prompt_tokens, output_tokens, ttft, latency} in seconds, and optionally prompt_ids and output_ids, or cached_tokens; or a folder of LLMServingSim's."`
	Fit           float64 `help:"Fit the first requests, this part of all, and test on the others; 0 fits nothing and only compares." default:"0.5"`
}

// Run fits and tests, or only compares.
func (c *calibrateLogCmd) Run(s *console.Streams) error {
	p, err := c.load()
	if err != nil {
		return err
	}
	run, err := calibrate.ReadLog(c.File)
	if err != nil {
		return err
	}
	if c.Fit == 0 {
		return run.WriteErrors(s.Stdout, c.Profile, p)
	}
	f, err := run.Log(p, c.Fit, "hostsim calibrate log "+c.File)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Stdout, "%d requests fitted, before: %v\n  after: %v\n", f.Parts[0], f.Before[0], f.After[0])
	if f.Parts[1] > 0 {
		fmt.Fprintf(s.Stdout, "%d others, before: %v\n  after: %v\n", f.Parts[1], f.Before[1], f.After[1])
	}
	fmt.Fprintln(s.Stdout)
	return c.finish(s.Stdout, f,
		"longer contexts and larger batches than the log has",
		"the time of HTTP and the tokenizer, if the log's times are the engine's own",
		"without token ids: what the prefix cache would have found")
}

type calibratePagesCmd struct {
	calibrateBase `embed:""`
	URL           string        `name:"url" help:"Read the page of this server twice: http://ip:port." placeholder:"URL"`
	During        time.Duration `help:"Time between the readings of --url." default:"60s"`
	Before        string        `help:"Or: the first page, from a file." placeholder:"FILE"`
	After         string        `help:"The second page." placeholder:"FILE"`
	Seconds       float64       `help:"Time between the two files' pages." placeholder:"SECONDS"`
	AllowRemote   bool          `help:"Allow addresses that are not loopback."`
}

// Run reads both pages, and fits.
func (c *calibratePagesCmd) Run(s *console.Streams) error {
	p, err := c.load()
	if err != nil {
		return err
	}
	before, after, err := c.pages(s)
	if err != nil {
		return err
	}
	if calibrate.Unsteady(before, after) {
		fmt.Fprintln(s.Stderr, "the requests under way changed much between the pages: the load was not steady, and the fit takes it for steady")
	}
	f, err := calibrate.Pages(p, before, after, c.Seconds, "hostsim calibrate pages, "+strconv.FormatFloat(c.Seconds, 'g', 4, 64)+" s")
	if err != nil {
		return err
	}
	return c.finish(s.Stdout, f,
		"the order of arrivals: they are taken as random, so the queue is an estimate",
		"which requests were long and which were cached: lengths are drawn from histograms, hits spread evenly",
		"reading the weights against reading KV, unless the load varies")
}

func (c *calibratePagesCmd) pages(s *console.Streams) (before, after *calibrate.Page, err error) {
	files := c.Before != "" && c.After != ""
	if any := c.Before != "" || c.After != "" || c.Seconds != 0; (c.URL == "") != files || c.URL != "" && any {
		return nil, nil, errors.New("give either --url, or --before and --after with --seconds")
	}
	if c.URL != "" {
		if err := bench.CheckURL(c.URL, c.AllowRemote); err != nil {
			return nil, nil, err
		}
		server := &calibrate.Server{URL: c.URL, Timeout: 10 * time.Second}
		before, after, c.Seconds, err = server.Pages(s.Ctx, c.During)
		return before, after, err
	}
	if before, err = calibrate.OpenPage(c.Before); err != nil {
		return nil, nil, err
	}
	after, err = calibrate.OpenPage(c.After)
	return before, after, err
}

type calibrateProbeCmd struct {
	calibrateBase `embed:""`
	URL           string        `arg:"" help:"The server, http://ip:port. It should be idle."`
	Model         string        `help:"Model to request; by default the first that it lists."`
	Budget        time.Duration `help:"No probe begins after this time." default:"60s"`
	Timeout       time.Duration `help:"Time-out of one request." default:"60s"`
	AllowRemote   bool          `help:"Allow sending load to an address that is not loopback."`
}

// Run probes, and fits.
func (c *calibrateProbeCmd) Run(s *console.Streams) error {
	p, err := c.load()
	if err != nil {
		return err
	}
	if err := bench.CheckURL(c.URL, c.AllowRemote); err != nil {
		return err
	}
	server := &calibrate.Server{URL: c.URL, Model: c.Model, Timeout: c.Timeout}
	if server.Model == "" {
		if server.Model, err = bench.Model(s.Ctx, strings.TrimSuffix(c.URL, "/")); err != nil {
			return err
		}
	}
	if err := server.Idle(s.Ctx); err != nil {
		return err
	}
	measured, err := calibrate.Measure(s.Ctx, calibrate.Plan(p), server.Send, c.Budget, func(probe calibrate.Probe) {
		fmt.Fprintf(s.Stderr, "%v: %.1f ms, %.2f ms\n", probe, 1e3*probe.TTFT, 1e3*probe.TPOT)
	})
	if err != nil {
		return err
	}
	f, err := calibrate.Probes(p, measured, "hostsim calibrate probe "+c.URL)
	if err != nil {
		return err
	}
	return c.finish(s.Stdout, f,
		"steps with prefill and decoding together, but for the moments when a batch begins",
		"the size of the KV memory, and the batch, to whose double CUDA graphs go: give them with --set kv_blocks=N,max_num_seqs=N (vllm:cache_config_info)",
		"what happens when memory runs out")
}
