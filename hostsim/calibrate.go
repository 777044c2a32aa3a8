package main

import (
	"fmt"
	"io"
	"os"
	"text/tabwriter"

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
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "factor of the profile's numbers\t\tdetermined\n")
	for _, k := range f.Factors {
		if k.Absent {
			continue
		}
		determined, value := "yes", fmt.Sprintf("× %.3f", k.Value)
		if k.Found > 0 {
			value = fmt.Sprintf("%.3g µs", k.Found/1e3)
		}
		if !k.Known {
			determined = fmt.Sprintf("no: a tenth more changes the fit by %.1f %%", 100*k.Penalty)
			if k.With != "" {
				determined += ", if \"" + k.With + "\" makes up for it"
			}
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", k.Name, value, determined)
	}
	if len(f.Residuals) > 0 {
		fmt.Fprintf(table, "\nresiduals\tmeasured\tmodel\terror\n")
		for _, r := range f.Residuals {
			note := ""
			if !r.Fitted {
				note = ", not fitted"
			}
			fmt.Fprintf(table, "%s\t%.2f\t%.2f\t%+.1f %%%s\n", r.Name, r.Measured, r.Model, 100*(r.Model/r.Measured-1), note)
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nSteps ± %.0f %%. This measurement does not show:\n", 100*f.Profile.Error)
	for _, line := range cannot {
		fmt.Fprintf(w, "- %s\n", line)
	}
	if c.Out == "" {
		return nil
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
		return c.compare(s.Stdout, run, p)
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

func (c *calibrateLogCmd) compare(w io.Writer, run *calibrate.Run, p vllm.Profile) error {
	for _, factor := range []float64{1, 1 / (1 + p.Error), 1 + p.Error} {
		done, stats, err := run.Replay(p.Slower(factor))
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s (%v), steps × %.2f: %v; %d preemptions\n", c.Profile, &p, factor, run.Compare(done, 0, len(done)), stats.Preemptions)
		if p.Error == 0 {
			break
		}
	}
	return nil
}
