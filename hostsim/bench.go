package main

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"warmroute/hostsim/internal/bench"
	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/input"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/workload"
)

// benchCmd sends a workload, or a trace or log, to one URL or several.
type benchCmd struct {
	URL          []string      `help:"Server to send to, http://host:port, or NAME=URL. Of several, each gets the same requests in each round, one after another in changing order, and the last table has the ratios to the first." required:"" placeholder:"[NAME=]URL"`
	Workload     string        `help:"Workload to send, unless there is a trace: ${enum}." enum:"${workloads}" default:"phrases"`
	Requests     int           `help:"Number of the workload's requests." default:"6" least:"1"`
	Trace        string        `help:"Send this trace or log of your own instead, with its bodies and at its times (docs/traces.md has the shapes); - is standard input. Answers have the trace's lengths (max_tokens and ignore_eos)." placeholder:"FILE" group:"trace"`
	Limit        int           `help:"Send only that many of the trace's requests." group:"trace"`
	Speed        float64       `help:"Send the trace's requests that many times as fast as recorded." default:"1" group:"trace"`
	Closed       bool          `help:"A request of the trace waits for the answer before it in its session, and for the session's pause after that." group:"trace"`
	Rounds       int           `help:"How often all is sent; with several URLs, two rounds or more give the ratios an interval." default:"1" least:"1"`
	Salt         string        `help:"Whether each run has a cache_salt of its own, so that it finds no blocks of an earlier one cached: ${enum}. auto: of a trace, and where there are several runs." enum:"auto,yes,no" default:"auto"`
	Concurrency  int           `help:"Requests in flight at once; 0: 1 of a workload, 512 of a trace."`
	Seed         uint64        `help:"Seed of the workload; each further round has the next one."`
	WarmupPasses int           `help:"How often the workload runs before it is measured."`
	PromptTokens int           `help:"Tokens of a phrase or system prompt; 0: the workload's default."`
	OutputTokens int           `help:"Mean tokens of an answer; 0: the workload's default."`
	Model        string        `help:"Model to request; by default the first that the server lists, and of a trace each body's own where the server lists it."`
	Timeout      time.Duration `help:"Time-out of one request." default:"2m"`
	AllowRemote  bool          `help:"Allow sending load to an address that is not loopback."`
	JSON         string        `help:"Write the result to this file, with a record for each request; - is standard output." placeholder:"FILE"`
}

// benchResult is what is written as JSON: the first run, and where there are several, all of them.
type benchResult struct {
	*bench.Result
	Runs   []*bench.Result `json:"runs,omitempty"`
	Ratios []bench.Ratio   `json:"ratios,omitempty"`
}

// benchRun makes one run: of a round, from 0, with a salt or "".
type benchRun func(s *console.Streams, t bench.Target, round int, salt string, o bench.Options) (*bench.Result, error)

// Run prints the results as tables. That every request failed is an error, too, once they are printed.
func (c *benchCmd) Run(s *console.Streams) error {
	if err := console.Writable(c.JSON); err != nil {
		return err
	}
	targets, err := bench.ParseTargets(c.URL, c.AllowRemote)
	if err != nil {
		return err
	}
	run, err := c.prepare(s, targets)
	if err != nil {
		return err
	}
	var result benchResult
	var rounds [][]*bench.Result
	began := time.Now().UnixNano()
	requests, failed := 0, 0
	for round := range c.Rounds {
		runs := make([]*bench.Result, len(targets))
		for i := range targets {
			at := bench.Turn(i, round, len(targets))
			salt := ""
			if c.Salt == "yes" || c.Salt == "auto" && (c.Trace != "" || len(targets)*c.Rounds > 1) {
				salt = fmt.Sprintf("%x/%d/%d", began, round, at)
			}
			t := targets[at]
			o := bench.Options{URL: t.URL, Concurrency: c.Concurrency, WarmupPasses: c.WarmupPasses, Timeout: c.Timeout, AllowRemote: c.AllowRemote}
			r, err := run(s, t, round, salt, o)
			s.ClearLine()
			if r == nil || err != nil && !s.Stopped(err, len(result.Runs)*1000+r.Requests, 0, "") {
				return err
			}
			if runs[at] = r; len(targets)*c.Rounds > 1 {
				r.Target, r.Round = t.Name, round+1
				fmt.Fprintf(s.Tables(c.JSON), "%s, round %d:\n", t.Name, round+1)
			}
			if err := r.WriteTable(s.Tables(c.JSON)); err != nil {
				return err
			}
			result.Runs = append(result.Runs, r)
			requests, failed = requests+r.Requests, failed+r.Errors
			if err != nil {
				return errors.Join(c.finish(s, &result, rounds), s.ErrStopped())
			}
		}
		rounds = append(rounds, runs)
	}
	if err := c.finish(s, &result, rounds); err != nil {
		return err
	}
	if failed == requests {
		return fmt.Errorf("all %d requests failed", failed)
	}
	return nil
}

// finish prints the ratios, and writes the file.
func (c *benchCmd) finish(s *console.Streams, result *benchResult, rounds [][]*bench.Result) error {
	result.Ratios = bench.Ratios(rounds)
	if len(result.Ratios) > 0 {
		t := bench.RatioTable(rounds[0][0].Target, result.Ratios)
		if err := t.WriteText(s.Tables(c.JSON)); err != nil {
			return err
		}
	}
	if c.JSON == "" {
		return nil
	}
	if result.Result = result.Runs[0]; len(result.Runs) == 1 {
		result.Runs = nil
	}
	return s.WriteJSON(c.JSON, result)
}

// prepare says how a run is made: of the workload, or of the trace.
func (c *benchCmd) prepare(s *console.Streams, targets []bench.Target) (benchRun, error) {
	if c.Trace != "" {
		return c.ofTrace(s, targets)
	}
	if c.Limit != 0 || c.Speed != 1 || c.Closed {
		return nil, errors.New("--limit, --speed and --closed are for a trace (--trace)")
	}
	c.Concurrency = cmp.Or(c.Concurrency, 1)
	return func(s *console.Streams, t bench.Target, round int, salt string, o bench.Options) (*bench.Result, error) {
		model := c.Model
		if model == "" {
			models, err := bench.Models(s.Ctx, t.URL)
			if err != nil {
				return nil, err
			}
			model = models[0]
		}
		w, err := workload.New(c.Workload, workload.Options{
			Seed: c.Seed + uint64(round), Requests: c.Requests, Model: model, Salt: salt, PromptTokens: c.PromptTokens, OutputTokens: c.OutputTokens,
		})
		if err != nil {
			return nil, err
		}
		o.Progress = func(done, total int) { s.At(done, total, c.Workload) }
		return bench.Run(s.Ctx, o, w)
	}, nil
}

// ofTrace reads the trace, and says what of it cannot be sent as it was.
func (c *benchCmd) ofTrace(s *console.Streams, targets []bench.Target) (benchRun, error) {
	if c.WarmupPasses > 0 {
		return nil, errors.New("--warmup-passes: a trace is sent as it is; give --rounds, and look at the later ones")
	}
	if c.Requests != 6 || c.Workload != "phrases" || c.PromptTokens != 0 || c.OutputTokens != 0 || c.Seed != 0 {
		return nil, errors.New("--workload, --requests, --prompt-tokens, --output-tokens and --seed are for a workload; --limit sends a part of a trace")
	}
	if !(c.Speed > 0) {
		return nil, fmt.Errorf("--speed: %v is not above 0", c.Speed)
	}
	c.Concurrency = cmp.Or(c.Concurrency, 512)
	models := map[string][]string{}
	for _, t := range targets {
		if c.Model != "" {
			continue
		}
		listed, err := bench.Models(s.Ctx, t.URL)
		if err != nil {
			return nil, err
		}
		models[t.URL] = listed
	}
	t, err := input.Open(s, c.Trace, trace.Options{Limit: c.Limit}, true)
	if err != nil {
		return nil, err
	}
	said := false
	return func(s *console.Streams, to bench.Target, _ int, salt string, o bench.Options) (*bench.Result, error) {
		requests, renamed, err := bench.Recorded(t, c.Model, models[to.URL], salt)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", console.Shown(c.Trace), err)
		}
		if renamed > 0 && !said {
			fmt.Fprintf(s.Stderr, "The server does not list the model of %d requests: they ask for %s (--model gives another).\n", renamed, models[to.URL][0])
		}
		said = true
		o.Progress = func(done, total int) { s.At(done, total, console.Shown(c.Trace)) }
		return bench.Replay(s.Ctx, o, console.Shown(c.Trace), requests, bench.Pace{Speed: c.Speed, Closed: c.Closed})
	}, nil
}
