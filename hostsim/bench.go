package main

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"warmroute/hostsim/internal/bench"
	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/report"
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

// benchTarget is one of the URLs.
type benchTarget struct{ name, url string }

// benchRun makes one run: of a round, from 0, with a salt or "".
type benchRun func(s *console.Streams, t benchTarget, round int, salt string, o bench.Options) (*bench.Result, error)

// Run prints the results as tables. That every request failed is an error, too, once they are printed.
func (c *benchCmd) Run(s *console.Streams) error {
	if err := console.Writable(c.JSON); err != nil {
		return err
	}
	targets, err := c.targets()
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
			at := (i + round) % len(targets)
			if round/len(targets)%2 == 1 {
				at = len(targets) - 1 - at
			}
			salt := ""
			if c.Salt == "yes" || c.Salt == "auto" && (c.Trace != "" || len(targets)*c.Rounds > 1) {
				salt = fmt.Sprintf("%x/%d/%d", began, round, at)
			}
			t := targets[at]
			o := bench.Options{URL: t.url, Concurrency: c.Concurrency, WarmupPasses: c.WarmupPasses, Timeout: c.Timeout, AllowRemote: c.AllowRemote}
			r, err := run(s, t, round, salt, o)
			s.ClearLine()
			if r == nil || err != nil && !s.Stopped(err, len(result.Runs)*1000+r.Requests, 0, "") {
				return err
			}
			if runs[at] = r; len(targets)*c.Rounds > 1 {
				r.Target, r.Round = t.name, round+1
				fmt.Fprintf(s.Tables(c.JSON), "%s, round %d:\n", t.name, round+1)
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
		t := report.Table{Title: "Ratio to " + rounds[0][0].Target + ", below 1 is better", Columns: []string{"target", "measure", "ratio", "95 % interval"}}
		for _, r := range result.Ratios {
			interval := "one round: none"
			if r.Most > 0 {
				interval = fmt.Sprintf("%.3f to %.3f", r.Least, r.Most)
			}
			t.Rows = append(t.Rows, []string{r.Target, r.Measure, fmt.Sprintf("%.3f", r.Ratio), interval})
		}
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

// targets reads the URLs.
func (c *benchCmd) targets() ([]benchTarget, error) {
	var out []benchTarget
	for _, text := range c.URL {
		name, address, named := strings.Cut(text, "=")
		if !named || strings.Contains(name, "://") {
			name, address = "", text
		}
		if err := bench.CheckURL(address, c.AllowRemote); err != nil {
			return nil, err
		}
		if u, err := url.Parse(address); name == "" && err == nil {
			name = u.Host
		}
		for _, other := range out {
			if other.name == name {
				return nil, fmt.Errorf("--url: %s is given twice; NAME=URL gives one another name", name)
			}
		}
		out = append(out, benchTarget{name, address})
	}
	return out, nil
}
