package cost

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Plan is what is measured: every size with every number of connections on the first setting, and what varies one thing at a time. The
// first of each list is that of everything else.
type Plan struct {
	Wasm    string   // the module's file
	With    []string // files of further modules
	ExtProc string   // binary of an external processing server; "": none
	Gate    bool     // also the module with a gate behind it

	Bytes       []int   // of bodies
	Connections []int   // of the client; what varies something else has the middle one
	Rate        float64 // requests a second of an open loop; 0: none
	Turns       int     // of a conversation; 1: none
	Events      int     // of a streamed answer; 0: none

	Endpoints, Workers, Pools []int
	Blocks                    []int // sizes in bytes to vary, may be empty
}

// Check refuses what cannot be measured, by the flag's name.
func (p *Plan) Check() error {
	for _, of := range []struct {
		name        string
		list        []int
		least, most int
	}{
		{"bytes", p.Bytes, 1, 16 << 20}, {"connections", p.Connections, 1, 4096}, {"endpoints", p.Endpoints, 1, 1024},
		{"workers", p.Workers, 1, 1024}, {"pools", p.Pools, 1, 256}, {"blocks", p.Blocks, 16, 1020},
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
	if p.ExtProc != "" && p.Pools[0] > 1 {
		return fmt.Errorf("--ext-proc: with --pools %d it decides nothing, as it is not told which cluster the route chose; let the first of --pools be 1", p.Pools[0])
	}
	return nil
}

// manyStreams is the connections of the case of streamed answers: some thousand events a second.
const manyStreams = 64

// Base is the setting of all that is not varied.
func (p *Plan) Base() Setting {
	return Setting{Endpoints: p.Endpoints[0], Workers: p.Workers[0], Pools: p.Pools[0]}
}

// Usual is the case that all settings have.
func (p *Plan) Usual() Case {
	return Case{Bytes: p.Bytes[0], Connections: p.Connections[len(p.Connections)/2], Turns: 1}
}

// Longer is the case of conversations and blocks: the largest size up to 32 KB.
func (p *Plan) Longer() Case {
	of := p.Usual()
	for _, size := range p.Bytes {
		if size <= 32<<10 {
			of.Bytes = max(of.Bytes, size)
		}
	}
	return of
}

// Parts are the cases of the first setting, and what is varied.
func (p *Plan) Parts() []Part {
	plain, ours := Variant{Name: "plain"}, Variant{Name: "warmroute", Wasm: p.Wasm}
	whole := Part{Setting: p.Base(), Variants: []Variant{plain, {Name: "plain again"}, ours}}
	if p.Gate {
		whole.Variants = append(whole.Variants, Variant{Name: "with a gate", Wasm: p.Wasm, Gate: true})
	}
	some := []Variant{plain, ours}
	for _, v := range p.further() {
		whole.Variants, some = append(whole.Variants, v), append(some, v)
	}
	if p.ExtProc != "" {
		whole.Variants = append(whole.Variants, Variant{Name: "ext_proc", ExtProc: p.ExtProc})
	}
	for _, size := range p.Bytes {
		for _, connections := range p.Connections {
			whole.Cases = append(whole.Cases, Case{Bytes: size, Connections: connections, Turns: 1})
		}
	}
	if p.Turns > 1 {
		of := p.Longer()
		of.Turns = p.Turns
		whole.Cases = append(whole.Cases, of)
	}
	if p.Events > 0 {
		whole.Cases = append(whole.Cases, Case{Bytes: p.Bytes[0], Connections: manyStreams, Turns: 1, Events: p.Events})
	}
	if p.Rate > 0 {
		whole.Cases = append(whole.Cases, Case{Bytes: p.Bytes[0], Connections: 1, Rate: p.Rate, Turns: 1})
	}
	parts := []Part{whole}
	vary := func(list []int, of Case, set func(*Setting, int)) {
		for _, n := range list {
			at := p.Base()
			set(&at, n)
			parts = append(parts, Part{Setting: at, Variants: some, Cases: []Case{of}})
		}
	}
	vary(p.Endpoints[1:], p.Usual(), func(s *Setting, n int) { s.Endpoints = n })
	vary(p.Workers[1:], p.Usual(), func(s *Setting, n int) { s.Workers = n })
	vary(p.Pools[1:], p.Usual(), func(s *Setting, n int) { s.Pools = n })
	vary(p.Blocks, p.Longer(), func(s *Setting, n int) { s.Block = n })
	return parts
}

// Stalling are the variants that Stalls measures.
func (p *Plan) Stalling() []Variant {
	return append([]Variant{{Name: "plain"}, {Name: "warmroute", Wasm: p.Wasm}}, p.further()...)
}

// Resting are the variants that Rest measures, and their setting.
func (p *Plan) Resting() (Setting, []Variant) {
	resting := []Variant{{Name: "plain"}, {Name: "warmroute", Wasm: p.Wasm, Scrape: true}, {Name: "without scraping", Wasm: p.Wasm}}
	for _, v := range p.further() {
		v.Scrape = true
		resting = append(resting, v)
	}
	return Setting{Endpoints: 64, Workers: 2, Pools: 1}, resting
}

// further are the further modules, by their files' names without folder and ending.
func (p *Plan) further() (out []Variant) {
	for _, file := range p.With {
		out = append(out, Variant{Name: strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), Wasm: file})
	}
	return out
}

// Result is all that was measured.
type Result struct {
	Rounds int      `json:"rounds"`
	Span   float64  `json:"span_s"`
	Rows   []Row    `json:"rows,omitempty"`
	Growth []Growth `json:"growth,omitempty"`
	Memory []Held   `json:"memory,omitempty"`
	Stalls []Stall  `json:"stalls,omitempty"`
	Idle   []Idle   `json:"idle,omitempty"`
}
