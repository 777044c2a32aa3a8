package main

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"

	"warmroute/hostsim/internal/bench"
	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/gateway"
	"warmroute/hostsim/internal/report"
	"warmroute/hostsim/internal/vllm"
	"warmroute/hostsim/internal/workload"
)

// demoCmd compares policies through real Envoys in front of simulated replicas.
type demoCmd struct {
	Envoy    string `help:"Envoy binary; ./build.sh envoy prints the path of one." required:"" type:"existingfile" env:"ENVOY"`
	Wasm     string `help:"The module's file." default:"build/warmroute.wasm" type:"existingfile"`
	Config   string `help:"Envoy configuration to start from." default:"examples/envoy/endpoint.yaml" type:"existingfile"`
	HTML     string `help:"Write the report to this file." default:"build/demo.html"`
	Rounds   int    `help:"Number of rounds in the first part." default:"20" least:"1"`
	Requests int    `help:"Requests per mode in the second part." default:"150" least:"1"`
	Profile  string `help:"Cost profile of the simulated replicas: ${profiles}, or a file; hostsim profile says more." default:"h100-8b" placeholder:"NAME|FILE"`
}

// demoSpeed is how much faster than their profile the replicas run, so that the demo takes less than a minute.
const demoSpeed = 3

// mode is a row of the demo's tables: a name, and what the module's configuration then says.
type mode struct {
	name   string
	plugin map[string]any
}

func hashMode(name string, chars int) mode {
	return mode{name, map[string]any{"policy": "prefix_hash", "prefix_hash": map[string]any{"prefix_chars": chars}}}
}

// demo is a pool of replicas with one Envoy per mode in front.
type demo struct {
	*console.Streams
	cmd      *demoCmd
	fleet    *fleet.Fleet
	gateways map[string]*gateway.Gateway
}

func (c *demoCmd) Run(s *console.Streams) error {
	if err := console.Writable(c.HTML); err != nil {
		return err
	}
	d := &demo{Streams: s, cmd: c, gateways: map[string]*gateway.Gateway{}}
	defer d.close()
	if err := d.startFleet(); err != nil {
		return err
	}
	page := report.Page{
		Title: "warmroute: what prefix-aware routing is worth",
		Foot: fmt.Sprintf("Made by ./build.sh demo: a real Envoy with %s in front of three simulated vLLM replicas (profile %s, at %d times its speed). "+
			"Hits are counted by the replicas (cached_tokens), times by the client.", filepath.Base(c.Wasm), c.Profile, demoSpeed),
	}
	for _, part := range []func(*report.Page) error{d.phrases, d.conversations} {
		if err := part(&page); err != nil {
			return err
		}
	}
	return d.write(&page)
}

// startFleet starts three replicas on the ports of the first proof of concept, or on free ones where those are taken.
func (d *demo) startFleet() error {
	profile, err := vllm.LoadProfile(d.cmd.Profile)
	if err != nil {
		return err
	}
	opt := fleet.Options{N: 3, Port: 8001, Profile: profile, Seed: 1, Speed: demoSpeed}
	if d.fleet, err = fleet.Start(opt); err != nil {
		fmt.Fprintf(d.Stderr, "ports 8001 to 8003: %v; taking free ones\n", err)
		opt.Port = 0
		d.fleet, err = fleet.Start(opt)
	}
	return err
}

// gateway is the Envoy of a mode, started at its first use.
func (d *demo) gateway(m mode) (*gateway.Gateway, error) {
	if g := d.gateways[m.name]; g != nil {
		return g, nil
	}
	opt := gateway.Options{Envoy: d.cmd.Envoy, Wasm: d.cmd.Wasm, Config: d.cmd.Config, Plugin: m.plugin}
	for _, r := range d.fleet.Replicas {
		opt.Replicas = append(opt.Replicas, r.Addr())
	}
	g, err := gateway.Start(d.Ctx, opt)
	if err == nil {
		d.gateways[m.name] = g
	}
	return g, err
}

// pass runs the workload once through the Envoy of a mode.
func (d *demo) pass(m mode, w *workload.Workload, concurrency int) (*bench.Result, error) {
	g, err := d.gateway(m)
	if err != nil {
		return nil, fmt.Errorf("mode %s: %w", m.name, err)
	}
	r, err := bench.Run(d.Ctx, bench.Options{URL: g.URL, Concurrency: concurrency}, w)
	if err == nil && r.Errors > 0 {
		err = fmt.Errorf("mode %s: %d of %d requests failed: %v", m.name, r.Errors, r.Requests, r.ErrorsByStatus)
	}
	return r, err
}

// emptyCaches makes every replica forget what it has seen.
func (d *demo) emptyCaches(ctx context.Context) error {
	for _, url := range d.fleet.URLs() {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/reset_prefix_cache", nil)
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("%s/reset_prefix_cache answered %s", url, response.Status)
		}
	}
	return nil
}

func (d *demo) write(page *report.Page) error {
	if err := d.WritePage(page, d.cmd.HTML); err != nil {
		return err
	}
	fmt.Fprintln(d.Stdout, "report:", d.cmd.HTML)
	return nil
}

func (d *demo) close() {
	for _, g := range d.gateways {
		g.Close()
	}
	if d.fleet != nil {
		_ = d.fleet.Close() // the process ends anyway
	}
}

// add prints a section's table and keeps it for the page.
func (d *demo) add(page *report.Page, s report.Section) error {
	page.Sections = append(page.Sections, s)
	fmt.Fprintf(d.Stdout, "%s\n", strings.Repeat("─", 72))
	return s.WriteText(d.Stdout)
}
