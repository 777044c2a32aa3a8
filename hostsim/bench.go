package main

import (
	"fmt"
	"time"

	"warmroute/hostsim/internal/bench"
	"warmroute/hostsim/internal/workload"
)

// benchCmd replays a workload against a URL.
type benchCmd struct {
	URL          string        `help:"Server to send to, http://host:port." required:""`
	Workload     string        `help:"Workload to send: ${enum}." enum:"${workloads}" default:"phrases"`
	Requests     int           `help:"Number of requests." default:"6" least:"1"`
	Concurrency  int           `help:"Requests in flight at once." default:"1" least:"1"`
	Seed         uint64        `help:"Seed of the workload."`
	WarmupPasses int           `help:"How often the workload runs before it is measured."`
	PromptTokens int           `help:"Tokens of a phrase or system prompt; 0: the workload's default."`
	OutputTokens int           `help:"Mean tokens of an answer; 0: the workload's default."`
	Model        string        `help:"Model to request; by default the first that the server lists."`
	Timeout      time.Duration `help:"Time-out of one request." default:"2m"`
	AllowRemote  bool          `help:"Allow sending load to an address that is not loopback."`
	JSON         string        `help:"Write the result to this file, with a record for each request; - is standard output." placeholder:"FILE"`
}

// Run prints the result as a table. That every request failed is an error, too, once it is printed.
func (c *benchCmd) Run(s *streams) error {
	if err := writable(c.JSON); err != nil {
		return err
	}
	if err := bench.CheckURL(c.URL, c.AllowRemote); err != nil {
		return err
	}
	if c.Model == "" {
		model, err := bench.Model(s.ctx, c.URL)
		if err != nil {
			return err
		}
		c.Model = model
	}
	w, err := workload.New(c.Workload, workload.Options{
		Seed: c.Seed, Requests: c.Requests, Model: c.Model, PromptTokens: c.PromptTokens, OutputTokens: c.OutputTokens,
	})
	if err != nil {
		return err
	}
	o := bench.Options{
		URL: c.URL, Concurrency: c.Concurrency, WarmupPasses: c.WarmupPasses, Timeout: c.Timeout, AllowRemote: c.AllowRemote,
	}
	o.Progress = func(done, total int) { s.at(done, total, c.Workload) }
	result, err := bench.Run(s.ctx, o, w)
	clearLine(s)
	if err != nil {
		return err
	}
	if err := result.WriteTable(s.tables(c.JSON)); err != nil {
		return err
	}
	if c.JSON != "" {
		if err := writeJSON(s, c.JSON, result); err != nil {
			return err
		}
	}
	if result.Errors == result.Requests {
		return fmt.Errorf("all %d requests failed", result.Errors)
	}
	return nil
}
