package main

import (
	"errors"
	"path/filepath"
	"strings"
	"time"

	"warmroute/hostsim/internal/cost"
)

// costCmd measures what the module adds to an Envoy.
type costCmd struct {
	Envoy       string        `help:"Envoy binary; ./build.sh envoy prints the path of one." required:"" type:"existingfile" env:"ENVOY"`
	Config      string        `help:"Envoy configuration to run." default:"examples/envoy/endpoint.yaml" type:"existingfile"`
	Wasm        string        `help:"The module." default:"build/warmroute.wasm" type:"existingfile"`
	With        []string      `help:"Further modules to compare with, such as one that does nothing." placeholder:"FILE"`
	Gate        bool          `help:"Also measure the module as Envoy Gateway runs it: without the flag, and with a gate behind it."`
	Bytes       []int         `help:"Sizes of bodies." default:"4096,32768,400000"`
	Connections []int         `help:"Connections of the client." default:"8"`
	Rate        float64       `help:"Requests a second of an open loop at the first size, beside the closed ones; 0: none." default:"500"`
	Turns       int           `help:"Turns of a conversation, for one case beside the others; 1: none." default:"6"`
	Endpoints   int           `help:"Endpoints of the pool, 1 to 1024." default:"8"`
	Workers     int           `help:"Worker threads of Envoy." default:"1"`
	Rounds      int           `help:"Rounds of which medians are shown." default:"5"`
	Span        time.Duration `help:"How long one measurement takes." default:"1s"`
	Memory      int           `help:"Instead of all else, send that many requests of the first size to the module, and print its memory every 20,000."`
	JSON        string        `help:"Write the results to this file; - is standard output." placeholder:"FILE"`
}

// Run prints the table.
func (c *costCmd) Run(s *streams) error {
	if err := writable(c.JSON); err != nil {
		return err
	}
	out := s.tables(c.JSON)
	o := cost.Options{
		Envoy: c.Envoy, Config: c.Config, Endpoints: c.Endpoints, Workers: c.Workers, Rounds: c.Rounds, Span: c.Span,
		Variants: []cost.Variant{{Name: "plain"}, {Name: "plain again"}, {Name: "warmroute", Wasm: c.Wasm}},
	}
	if c.Gate {
		o.Variants = append(o.Variants, cost.Variant{Name: "with a gate", Wasm: c.Wasm, Gate: true, Plugin: map[string]any{"steer": map[string]any{"target": "endpoint", "via": "property"}}})
	}
	if c.Memory > 0 {
		of := cost.Case{Bytes: c.Bytes[0], Connections: c.Connections[0], Turns: 1}
		rows, err := cost.Memory(s.ctx, o, of, c.Memory, out)
		return c.write(s, costResult{c.Endpoints, c.Workers, 1, 1, nil, rows}, err, len(rows), c.Memory/20_000+1)
	}
	for _, file := range c.With {
		o.Variants = append(o.Variants, cost.Variant{Name: nameOf(file), Wasm: file})
	}
	for _, size := range c.Bytes {
		for _, connections := range c.Connections {
			o.Cases = append(o.Cases, cost.Case{Bytes: size, Connections: connections, Turns: 1})
		}
	}
	if c.Turns > 1 {
		o.Cases = append(o.Cases, cost.Case{Bytes: c.Bytes[min(1, len(c.Bytes)-1)], Connections: c.Connections[0], Turns: c.Turns})
	}
	if c.Rate > 0 {
		o.Cases = append(o.Cases, cost.Case{Bytes: c.Bytes[0], Connections: 1, Rate: c.Rate, Turns: 1})
	}
	rows, err := cost.Run(s.ctx, o, out)
	return c.write(s, costResult{c.Endpoints, c.Workers, c.Rounds, c.Span.Seconds(), rows, nil}, err, len(rows), len(o.Cases)*len(o.Variants))
}

// costResult is what cost writes as JSON.
type costResult struct {
	Endpoints int         `json:"endpoints"`
	Workers   int         `json:"workers"`
	Rounds    int         `json:"rounds"`
	Span      float64     `json:"span_s"`
	Rows      []cost.Row  `json:"rows,omitempty"`
	Memory    []cost.Held `json:"memory,omitempty"`
}

// write keeps the rows that are done, also if err is an interrupt.
func (c *costCmd) write(s *streams, r costResult, err error, done, total int) error {
	if err != nil && !s.stopped(err, done, total, "rows") {
		return err
	}
	if c.JSON != "" {
		err = writeJSON(s, c.JSON, r)
	} else {
		err = nil
	}
	return errors.Join(err, s.errStopped())
}

// nameOf is a module's file without folder and ending.
func nameOf(file string) string { return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)) }
