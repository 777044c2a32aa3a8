package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
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
	for _, of := range []struct {
		name        string
		list        []int
		least, most int
	}{
		{"bytes", c.Bytes, 1, 16 << 20}, {"connections", c.Connections, 1, 4096}, {"endpoints", c.Endpoints, 1, 1024},
		{"workers", c.Workers, 1, 1024}, {"pools", c.Pools, 1, 256}, {"blocks", c.Blocks, 16, 1020},
	} {
		if len(of.list) == 0 && of.name != "blocks" {
			return fmt.Errorf("--%s: a number is needed", of.name)
		}
		for _, n := range of.list {
			if n < of.least || n > of.most {
				return fmt.Errorf("--%s: %d is not %d to %d", of.name, n, of.least, of.most)
			}
			if of.name == "blocks" && n%4 > 0 {
				return fmt.Errorf("--blocks: %d is not a multiple of 4", n)
			}
		}
	}
	if c.ExtProc != "" && c.Pools[0] > 1 {
		return fmt.Errorf("--ext-proc: with --pools %d it decides nothing, as it is not told which cluster the route chose; let the first of --pools be 1", c.Pools[0])
	}
	if c.Rounds < 1 && c.Memory < 1 && c.Stalls < 1 && c.Idle <= 0 {
		return errors.New("--rounds 0 needs --memory, --stalls or --idle")
	}
	return nil
}

// Run prints the tables.
func (c *costCmd) Run(s *console.Streams) error {
	if err := console.Writable(c.JSON, c.HTML); err != nil {
		return err
	}
	out := s.Tables(c.JSON)
	o := cost.Options{Envoy: c.Envoy, Config: c.Config, Pin: c.Pin, Rounds: c.Rounds, Span: c.Span}
	r, total := costResult{Rounds: c.Rounds, Span: c.Span.Seconds()}, c.Memory/20_000
	var err error
	if c.Rounds > 0 {
		parts := c.parts()
		for _, p := range parts {
			total += len(p.Cases) * len(p.Variants)
		}
		if r.Rows, err = cost.Run(s.Ctx, o, parts, out); err == nil {
			r.Growth = cost.Grow(r.Rows, c.usual(), c.longer())
			err = cost.PrintGrowth(r.Growth, out)
		}
	}
	if c.Memory > 0 && err == nil {
		r.Memory, err = cost.Memory(s.Ctx, o, c.base(), cost.Variant{Name: "warmroute", Wasm: c.Wasm}, c.usual(), c.Memory, out)
	}
	if c.Stalls > 0 && err == nil {
		stalling := []cost.Variant{{Name: "plain"}, {Name: "warmroute", Wasm: c.Wasm}}
		for _, file := range c.With {
			stalling = append(stalling, cost.Variant{Name: nameOf(file), Wasm: file})
		}
		r.Stalls, err = cost.Stalls(s.Ctx, o, c.base(), stalling, c.usual(), c.Stalls, out)
	}
	if c.Idle > 0 && err == nil {
		resting := []cost.Variant{{Name: "plain"}, {Name: "warmroute", Wasm: c.Wasm, Scrape: true}, {Name: "without scraping", Wasm: c.Wasm}}
		for _, file := range c.With {
			resting = append(resting, cost.Variant{Name: nameOf(file), Wasm: file, Scrape: true})
		}
		r.Idle, err = cost.Rest(s.Ctx, o, cost.Setting{Endpoints: 64, Workers: 2, Pools: 1}, resting, c.Idle, out)
	}
	if done := len(r.Rows) + len(r.Memory); err != nil && !s.Stopped(err, done, total, "rows") {
		return err
	}
	return c.write(s, &r)
}

// manyStreams is the connections of the case of streamed answers: some thousand events a second.
const manyStreams = 64

// base is the setting of all that is not varied.
func (c *costCmd) base() cost.Setting {
	return cost.Setting{Endpoints: c.Endpoints[0], Workers: c.Workers[0], Pools: c.Pools[0]}
}

// usual is the case that all settings have.
func (c *costCmd) usual() cost.Case {
	return cost.Case{Bytes: c.Bytes[0], Connections: c.Connections[len(c.Connections)/2], Turns: 1}
}

// longer is the case of conversations and blocks.
func (c *costCmd) longer() cost.Case {
	of := c.usual()
	for _, size := range c.Bytes {
		if size <= 32<<10 {
			of.Bytes = max(of.Bytes, size)
		}
	}
	return of
}

// parts are the cases of the first setting, and what is varied.
func (c *costCmd) parts() []cost.Part {
	plain, ours := cost.Variant{Name: "plain"}, cost.Variant{Name: "warmroute", Wasm: c.Wasm}
	whole := cost.Part{Setting: c.base(), Variants: []cost.Variant{plain, {Name: "plain again"}, ours}}
	if c.Gate {
		whole.Variants = append(whole.Variants, cost.Variant{Name: "with a gate", Wasm: c.Wasm, Gate: true})
	}
	some := []cost.Variant{plain, ours}
	for _, file := range c.With {
		v := cost.Variant{Name: nameOf(file), Wasm: file}
		whole.Variants, some = append(whole.Variants, v), append(some, v)
	}
	if c.ExtProc != "" {
		whole.Variants = append(whole.Variants, cost.Variant{Name: "ext_proc", ExtProc: c.ExtProc})
	}
	for _, size := range c.Bytes {
		for _, connections := range c.Connections {
			whole.Cases = append(whole.Cases, cost.Case{Bytes: size, Connections: connections, Turns: 1})
		}
	}
	if c.Turns > 1 {
		of := c.longer()
		of.Turns = c.Turns
		whole.Cases = append(whole.Cases, of)
	}
	if c.Events > 0 {
		whole.Cases = append(whole.Cases, cost.Case{Bytes: c.Bytes[0], Connections: manyStreams, Turns: 1, Events: c.Events})
	}
	if c.Rate > 0 {
		whole.Cases = append(whole.Cases, cost.Case{Bytes: c.Bytes[0], Connections: 1, Rate: c.Rate, Turns: 1})
	}
	parts := []cost.Part{whole}
	vary := func(list []int, of cost.Case, set func(*cost.Setting, int)) {
		for _, n := range list {
			at := c.base()
			set(&at, n)
			parts = append(parts, cost.Part{Setting: at, Variants: some, Cases: []cost.Case{of}})
		}
	}
	vary(c.Endpoints[1:], c.usual(), func(s *cost.Setting, n int) { s.Endpoints = n })
	vary(c.Workers[1:], c.usual(), func(s *cost.Setting, n int) { s.Workers = n })
	vary(c.Pools[1:], c.usual(), func(s *cost.Setting, n int) { s.Pools = n })
	vary(c.Blocks, c.longer(), func(s *cost.Setting, n int) { s.Block = n })
	return parts
}

// costResult is what cost writes as JSON.
type costResult struct {
	Rounds int           `json:"rounds"`
	Span   float64       `json:"span_s"`
	Rows   []cost.Row    `json:"rows,omitempty"`
	Growth []cost.Growth `json:"growth,omitempty"`
	Memory []cost.Held   `json:"memory,omitempty"`
	Stalls []cost.Stall  `json:"stalls,omitempty"`
	Idle   []cost.Idle   `json:"idle,omitempty"`
}

// write writes the files, also of what is done before an interrupt.
func (c *costCmd) write(s *console.Streams, r *costResult) error {
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

// nameOf is a module's file without folder and ending.
func nameOf(file string) string { return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)) }
