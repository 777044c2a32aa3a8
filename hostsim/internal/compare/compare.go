// Package compare measures what routing policies are worth on running vLLM servers: it sends the same workloads through
// one gateway after another, in rounds, and reports what the clients saw and what the servers counted.
//
// Within a round every target gets the same requests from the same seed, starting with empty caches. The order of the
// targets changes from round to round, so that a drift of the machine affects all alike. A gateway is restarted for each
// run, because its knowledge of the caches is wrong once they are emptied.
package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"warmroute/hostsim/internal/bench"
	"warmroute/hostsim/internal/gateway"
	"warmroute/hostsim/internal/workload"
)

// Target is one thing to compare: a policy in an Envoy that is started for it, or the URL of a running gateway.
type Target struct {
	Name   string
	Plugin map[string]any // members of the module's configuration; with URL, ignored
	URL    string         // "": an Envoy with the module
}

// Load is a workload by name.
type Load struct {
	Name    string
	Options workload.Options // Seed, Model and Salt are set for each run
}

// Options say what to compare.
type Options struct {
	Replicas    []string // ip:port of each server; their /metrics are read directly
	Targets     []Target
	Loads       []Load
	Rounds      int
	Seed        uint64        // of the first round; each further round has the next one
	Model       string        // "": the first that the first server lists
	Baseline    string        // target that the others are compared with; "": the first
	Experiment  float64       // 0, or a share: a further target, the second one's policy with this share of sessions by the first's
	Window      time.Duration // of an experiment by time; 0: by session
	Isolation   string        // reset: POST /reset_prefix_cache; salt: a cache_salt for each run; auto: reset if the servers allow it
	Concurrency int
	Timeout     time.Duration // of a request
	Sample      time.Duration // between readings of the queues
	AllowRemote bool
	Gateway     gateway.Options   // except Replicas and Plugin
	Commit      string            // of warmroute, for Result.Made
	Machine     string            // that the servers run on; "": this one's processors
	Log         func(string)      // a line on each run, or nil
	Trace       func(Trace) error // called with each round's requests of the first target, or nil
}

// Isolations are the ways to keep the caches of one run from the next.
var Isolations = []string{"auto", "reset", "salt"}

// comparison is the state of one Run.
type comparison struct {
	Options
	pool   *pool
	result *Result
	began  time.Time
}

// Run compares. Errors: an option out of range, a server or gateway that cannot be reached. A failed request is counted,
// and does not fail the comparison. Where ctx is cancelled, the rounds that are whole come with the error.
func Run(ctx context.Context, o Options) (*Result, error) {
	c := &comparison{Options: o, pool: newPool(o.Replicas), began: time.Now()}
	if err := c.check(ctx); err != nil {
		return nil, err
	}
	before, err := c.pool.counters(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.prepare(ctx, before); err != nil {
		return nil, err
	}
	for round := range o.Rounds {
		whole := len(c.result.Runs)
		if err := c.round(ctx, round); err != nil {
			if ctx.Err() == nil || round == 0 {
				return nil, err
			}
			c.result.Runs, c.result.Made.Rounds = c.result.Runs[:whole], round // what was measured before counts
			c.result.summarize()
			return c.result, ctx.Err()
		}
	}
	c.result.summarize()
	return c.result, nil
}

// round measures each target once under each load.
func (c *comparison) round(ctx context.Context, round int) error {
	for _, load := range c.Loads {
		for _, target := range inTurn(c.Targets, round) {
			if err := c.run(ctx, round, load, target); err != nil {
				return fmt.Errorf("%s, %s, round %d: %w", load.Name, target.Name, round+1, err)
			}
		}
	}
	return nil
}

// inTurn rotates the targets by one each two rounds and turns every second round around: A B C, C B A, B C A, A C B …
func inTurn(targets []Target, round int) []Target {
	n := round / 2 % len(targets)
	order := slices.Concat(targets[n:], targets[:n])
	if round%2 == 1 {
		slices.Reverse(order)
	}
	return order
}

func (c *comparison) check(ctx context.Context) error {
	switch {
	case len(c.Replicas) == 0:
		return errors.New("no replicas: their /metrics are what is reported")
	case len(c.Targets) == 0 || len(c.Loads) == 0:
		return errors.New("there must be a policy or URL, and a workload")
	case c.Rounds < 1:
		return fmt.Errorf("rounds: %d is below 1", c.Rounds)
	case c.Sample <= 0:
		return fmt.Errorf("sample: %v is not above 0", c.Sample)
	case !slices.Contains(Isolations, c.Isolation):
		return fmt.Errorf("isolation: %q is none of %v", c.Isolation, Isolations)
	}
	if err := c.withExperiment(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, t := range c.Targets {
		if seen[t.Name] {
			return fmt.Errorf("%q is given twice", t.Name)
		}
		seen[t.Name] = true
	}
	for _, l := range c.Loads {
		if !slices.Contains(workload.Names(), l.Name) {
			return fmt.Errorf("workload %q: none of that name; there are %v", l.Name, workload.Names())
		}
	}
	if c.Baseline == "" {
		c.Baseline = c.Targets[0].Name
	}
	if !seen[c.Baseline] {
		return fmt.Errorf("baseline: %q is none of the targets", c.Baseline)
	}
	for _, url := range c.pool.urls {
		if err := bench.CheckURL(url, c.AllowRemote); err != nil {
			return err
		}
	}
	return c.isolate(ctx)
}

// isolate decides how runs are kept apart. The caches behind a running gateway are not emptied unless asked for, because
// the gateway would not know that they are empty.
func (c *comparison) isolate(ctx context.Context) error {
	if c.Isolation == "salt" {
		return nil
	}
	if c.Isolation == "auto" && slices.ContainsFunc(c.Targets, func(t Target) bool { return t.URL != "" }) {
		c.Isolation = "salt"
		return nil
	}
	err := c.pool.reset(ctx)
	switch {
	case err == nil:
		c.Isolation = "reset"
	case errors.Is(err, errNoSuchPage) && c.Isolation == "auto":
		c.Isolation = "salt"
	case errors.Is(err, errNoSuchPage):
		return fmt.Errorf("%w: start the servers with VLLM_SERVER_DEV_MODE=1, or choose the isolation salt", err)
	default:
		return err
	}
	return nil
}

// warmUp is the number of requests that each server gets before the measurement: its first ones are slower.
const warmUp = 4

// prepare checks the targets and servers, and warms the servers up.
func (c *comparison) prepare(ctx context.Context, before []Counters) error {
	if c.Model == "" {
		model, err := bench.Model(ctx, c.pool.urls[0])
		if err != nil {
			return err
		}
		c.Model = model
	}
	c.result = &Result{Baseline: c.Baseline, Made: Made{
		Commit: c.Commit, Machine: cmp.Or(c.Machine, machine()), Server: c.pool.version(ctx), Replicas: len(c.Replicas), BlockSize: before[0].Block,
		Isolation: c.Isolation, Concurrency: c.Concurrency, Rounds: c.Rounds, Seed: c.Seed, Experiment: c.Experiment, WindowS: c.Window.Seconds(),
	}}
	for _, l := range c.Loads {
		c.result.Made.Workloads = append(c.result.Made.Workloads, l.Name)
	}
	for _, t := range c.Targets {
		c.result.Made.Targets = append(c.result.Made.Targets, t.Name)
	}
	for _, url := range c.pool.urls {
		w, err := workload.New("no-reuse", workload.Options{Requests: warmUp, Model: c.Model, Seed: c.Seed, PromptTokens: 256, OutputTokens: 8})
		if err != nil {
			return err
		}
		r, err := bench.Run(ctx, bench.Options{URL: url, Concurrency: 2, Timeout: c.Timeout, AllowRemote: c.AllowRemote}, w)
		if err != nil {
			return err
		}
		if r.Errors > 0 {
			return fmt.Errorf("%s: %d of %d requests to warm it up failed: %v", url, r.Errors, r.Requests, r.ErrorsByStatus)
		}
	}
	return nil
}
