package main

import (
	"errors"
	"time"

	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/cost"
)

// costCmd measures what the module adds to an Envoy.
type costCmd struct {
	Envoy       string        `help:"Envoy binary; ./build.sh envoy prints the path of one." required:"" type:"existingfile" env:"ENVOY"`
	Config      string        `help:"Envoy configuration to run." default:"examples/envoy/endpoint.yaml" type:"existingfile"`
	Wasm        string        `help:"The module." default:"build/warmroute.wasm" type:"existingfile"`
	With        []string      `help:"Further modules to compare with, such as one that does nothing." placeholder:"FILE"`
	ExtProc     string        `help:"Also measure an external processing server in Go that decides as the module does (go build ./hostsim/internal/cost/extproc), with the configuration that --config gives the module; its CPU counts. Not with several pools." type:"existingfile" placeholder:"FILE"`
	Gate        bool          `help:"Also measure the module as Envoy Gateway runs it: without the flag, and with a gate behind it."`
	Bytes       []int         `help:"Sizes of bodies. The first is that of the open loop, of the memory, and of what varies endpoints, workers and pools; the largest up to 32 KB that of conversations and of what varies blocks." default:"4096,32768,400000"`
	Connections []int         `help:"Connections of the client. What varies something else has the middle one." default:"8"`
	Rate        float64       `help:"Requests a second of an open loop, beside the closed ones; 0: none." default:"1000"`
	Turns       int           `help:"Turns of a conversation, for one case beside the others; 1: none." default:"6"`
	Events      int           `help:"Events of a streamed answer, for one case of 64 connections with the first size; a hundred come a second. 0: none." default:"200"`
	Endpoints   []int         `help:"Endpoints of the pool, 1 to 1024. Of several, all but the first are measured with the first size only, without ext_proc; so with --workers, --pools and --blocks." default:"8"`
	Workers     []int         `help:"Worker threads of Envoy." default:"1"`
	Pools       []int         `help:"Pools that requests are spread over, by their route, 1 to 256." default:"1"`
	Blocks      []int         `help:"Sizes of blocks (block_bytes) to vary: 16 to 1020, multiples of 4."`
	Pin         bool          `help:"Bind the Envoys to the last processor, and client and servers to the others; with one worker, on Linux." default:"true" negatable:""`
	Rounds      int           `help:"Rounds of which medians are shown; 0: no table, --memory, --stalls and --idle alone." default:"5"`
	Span        time.Duration `help:"How long one measurement takes." default:"1s"`
	Memory      int           `help:"At the end, send that many requests to the module, and print its memory every 20,000." placeholder:"REQUESTS"`
	Idle        time.Duration `help:"At the end, leave a plain Envoy and the module (two workers, 64 endpoints whose metrics are read) alone for 75 s, and measure what they take for that long." placeholder:"TIME"`
	Stalls      int           `help:"At the end, send that many requests to a plain Envoy and the module, one after the other, and print what a worker computes at most without a break." placeholder:"REQUESTS"`
	JSON        string        `help:"Write the results to this file; - is standard output." placeholder:"FILE"`
	HTML        string        `help:"Write a page with plots of how the cost grows to this file." placeholder:"FILE"`
}

// Validate refuses what cannot be measured.
func (c *costCmd) Validate() error {
	if err := c.plan().Check(); err != nil {
		return err
	}
	if c.Rounds < 1 && c.Memory < 1 && c.Stalls < 1 && c.Idle <= 0 {
		return errors.New("--rounds 0 needs --memory, --stalls or --idle")
	}
	return nil
}

func (c *costCmd) plan() *cost.Plan {
	return &cost.Plan{
		Wasm: c.Wasm, With: c.With, ExtProc: c.ExtProc, Gate: c.Gate, Bytes: c.Bytes, Connections: c.Connections, Rate: c.Rate, Turns: c.Turns, Events: c.Events,
		Endpoints: c.Endpoints, Workers: c.Workers, Pools: c.Pools, Blocks: c.Blocks,
	}
}

// Run prints the tables.
func (c *costCmd) Run(s *console.Streams) error {
	if err := console.Writable(c.JSON, c.HTML); err != nil {
		return err
	}
	out, plan := s.Tables(c.JSON), c.plan()
	o := cost.Options{Envoy: c.Envoy, Config: c.Config, Pin: c.Pin, Rounds: c.Rounds, Span: c.Span}
	r, total := cost.Result{Rounds: c.Rounds, Span: c.Span.Seconds()}, c.Memory/20_000
	var err error
	if c.Rounds > 0 {
		parts := plan.Parts()
		for _, p := range parts {
			total += len(p.Cases) * len(p.Variants)
		}
		if r.Rows, err = cost.Run(s.Ctx, o, parts, out); err == nil {
			r.Growth = cost.Grow(r.Rows, plan.Usual(), plan.Longer())
			err = cost.PrintGrowth(r.Growth, out)
		}
	}
	if c.Memory > 0 && err == nil {
		r.Memory, err = cost.Memory(s.Ctx, o, plan.Base(), cost.Variant{Name: "warmroute", Wasm: c.Wasm}, plan.Usual(), c.Memory, out)
	}
	if c.Stalls > 0 && err == nil {
		r.Stalls, err = cost.Stalls(s.Ctx, o, plan.Base(), plan.Stalling(), plan.Usual(), c.Stalls, out)
	}
	if c.Idle > 0 && err == nil {
		of, resting := plan.Resting()
		r.Idle, err = cost.Rest(s.Ctx, o, of, resting, c.Idle, out)
	}
	if done := len(r.Rows) + len(r.Memory); err != nil && !s.Stopped(err, done, total, "rows") {
		return err
	}
	return c.write(s, &r)
}

// write writes the files, also of what is done before an interrupt.
func (c *costCmd) write(s *console.Streams, r *cost.Result) error {
	if c.JSON != "" {
		if err := s.WriteJSON(c.JSON, r); err != nil {
			return err
		}
	}
	if c.HTML != "" {
		page, err := cost.Page(r.Rows, r.Growth, r.Memory)
		if err != nil {
			return err
		}
		if err := s.WritePage(page, c.HTML); err != nil {
			return err
		}
	}
	return s.ErrStopped()
}
