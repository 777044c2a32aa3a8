package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"warmroute/hostsim/internal/compare"
	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/gateway"
	"warmroute/hostsim/internal/workload"
)

// compareCmd sends the same workloads through several policies or URLs in turn, and reports what the servers counted.
type compareCmd struct {
	Replicas      []string      `help:"The servers, ip:port." required:"" placeholder:"IP:PORT"`
	Policies      []string      `help:"Policies to compare, each through its own Envoy. NAME@FILE adds the members of a JSON file to the module's configuration."`
	URLs          []string      `name:"urls" help:"Running gateways to compare, as NAME=URL." placeholder:"NAME=URL"`
	Baseline      string        `help:"Policy or gateway that the others are compared with; by default the first."`
	Workloads     []string      `help:"Workloads to send: ${workloads}." default:"conversations,shared-system"`
	Requests      int           `help:"Requests in each run." default:"60" least:"1"`
	Rounds        int           `help:"Number of rounds, each with its own seed." default:"5" least:"1"`
	Concurrency   int           `help:"Requests, and so sessions, in flight at once." default:"6" least:"1"`
	Seed          uint64        `help:"Seed of the first round." default:"1"`
	PromptTokens  int           `help:"Length of a system prompt, in tokens of 4 bytes; 0: the workload's default."`
	OutputTokens  int           `help:"Mean tokens of an answer; 0: the workload's default." default:"16"`
	SystemPrompts int           `help:"Number of shared system prompts; 0: the workload's default."`
	Experiment    float64       `help:"Of two policies: run the second also live, with this share of the sessions or the time by the first as an experiment, and hold the experiment's intervals against the runs of each." placeholder:"SHARE"`
	Window        time.Duration `help:"Of an experiment: the policies take turns, the other one for this long at a time; 0: they share the sessions."`
	Isolation     string        `help:"How runs are kept apart: ${enum}. reset empties the caches, salt gives each run a cache_salt." enum:"auto,reset,salt" default:"auto"`
	Sample        time.Duration `help:"Time between readings of the queues." default:"1s"`
	Timeout       time.Duration `help:"Time-out of one request." default:"2m"`
	Model         string        `help:"Model to request; by default the first that the first server lists."`
	AllowRemote   bool          `help:"Allow sending load to addresses that are not loopback."`
	Envoy         string        `help:"Envoy binary, needed for policies; ./build.sh envoy prints the path of one." type:"existingfile" env:"ENVOY"`
	Wasm          string        `help:"The module's file." default:"build/warmroute.wasm"`
	Config        string        `help:"Envoy configuration to start from." default:"examples/envoy/endpoint.yaml"`
	Commit        string        `help:"Commit that the module was built from, noted in the results; by default that of this program."`
	Machine       string        `help:"Hardware of the servers, noted in the results; by default this machine's processors."`
	JSON          string        `help:"Write the results to this file; - is standard output." placeholder:"FILE"`
	HTML          string        `help:"Write a page with plots to this file." placeholder:"FILE"`
	Trace         string        `help:"Write each round's requests to this folder as token ids, for hostsim replay: a file for each workload and round." placeholder:"FOLDER"`
}

// Run prints the tables.
func (c *compareCmd) Run(s *console.Streams) error {
	if err := console.Writable(c.JSON, c.HTML); err != nil {
		return err
	}
	o, err := c.options(s)
	if err != nil {
		return err
	}
	result, err := compare.Run(s.Ctx, o)
	done := 0
	if result != nil {
		done = result.Made.Rounds
	}
	if err != nil && !s.Stopped(err, done, c.Rounds, "rounds") {
		return err
	}
	page, err := result.Page()
	if err != nil {
		return err
	}
	output := console.Output{JSON: c.JSON, HTML: c.HTML}
	written := output.Files(s, page, result) // before anything is printed, as Output.Write
	for i := range page.Sections {
		if err := page.Sections[i].WriteText(s.Tables(c.JSON)); err != nil {
			return errors.Join(written, err)
		}
	}
	return errors.Join(written, s.ErrStopped())
}

func (c *compareCmd) options(s *console.Streams) (compare.Options, error) {
	o := compare.Options{
		Replicas: c.Replicas, Rounds: c.Rounds, Seed: c.Seed, Model: c.Model, Baseline: c.Baseline, Isolation: c.Isolation, Experiment: c.Experiment, Window: c.Window,
		Concurrency: c.Concurrency, Timeout: c.Timeout, Sample: c.Sample, AllowRemote: c.AllowRemote, Commit: cmp.Or(c.Commit, console.Commit()), Machine: c.Machine,
		Gateway: gateway.Options{Envoy: c.Envoy, Wasm: c.Wasm, Config: c.Config},
		Log:     func(line string) { fmt.Fprintln(s.Stderr, line) },
	}
	for _, name := range c.Workloads {
		o.Loads = append(o.Loads, compare.Load{Name: name, Options: workload.Options{
			Requests: c.Requests, Live: c.Concurrency, PromptTokens: c.PromptTokens, OutputTokens: c.OutputTokens, SystemPrompts: c.SystemPrompts,
		}})
	}
	if len(c.Policies) > 0 && c.Envoy == "" {
		return o, errors.New("--envoy is needed for policies; ./build.sh envoy prints the path of one")
	}
	for _, policy := range c.Policies {
		t, err := policyTarget(policy)
		if err != nil {
			return o, err
		}
		o.Targets = append(o.Targets, t)
	}
	for _, pair := range c.URLs {
		name, url, ok := strings.Cut(pair, "=")
		if !ok {
			return o, fmt.Errorf("--urls: %q is not NAME=URL", pair)
		}
		o.Targets = append(o.Targets, compare.Target{Name: name, URL: url})
	}
	if c.Trace != "" {
		o.Trace = c.writeTrace
		if info, err := os.Stat(c.Trace); err != nil {
			return o, fmt.Errorf("--trace %s: %w", c.Trace, err)
		} else if !info.IsDir() {
			return o, fmt.Errorf("--trace %s: it is no folder", c.Trace)
		}
	}
	return o, nil
}

// policyTarget reads NAME or NAME@FILE.
func policyTarget(text string) (compare.Target, error) {
	policy, file, with := strings.Cut(text, "@")
	t := compare.Target{Name: policy, Plugin: map[string]any{}}
	if with {
		t.Name += " " + strings.TrimSuffix(filepath.Base(file), ".json")
		data, err := os.ReadFile(file)
		if err != nil {
			return t, err
		}
		if err := json.Unmarshal(data, &t.Plugin); err != nil {
			return t, console.JSONFault(file, data, err)
		}
	}
	t.Plugin["policy"] = policy
	return t, nil
}

func (c *compareCmd) writeTrace(t compare.Trace) error {
	file, err := os.Create(filepath.Join(c.Trace, fmt.Sprintf("%s-%d.jsonl", t.Workload, t.Round)))
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	enc := json.NewEncoder(w)
	for _, line := range t.Lines {
		if err := enc.Encode(line); err != nil {
			return errors.Join(err, file.Close())
		}
	}
	return errors.Join(w.Flush(), file.Close())
}
