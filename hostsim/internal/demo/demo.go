// Package demo compares policies through real Envoys in front of simulated replicas, which run faster than their profile so that all of
// it takes less than a minute: first the two repeated phrases of the first proof of concept, then conversations.
package demo

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"

	"warmroute/hostsim/internal/bench"
	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/gateway"
	"warmroute/hostsim/internal/report"
	"warmroute/hostsim/internal/vllm"
	"warmroute/hostsim/internal/workload"
)

// Options say what is run.
type Options struct {
	Envoy    string // its binary
	Wasm     string // the module's file
	Config   string // Envoy configuration to start from
	Rounds   int    // of the phrases, at least 1
	Requests int    // of the conversations, for each mode, at least 1
	Profile  string // of the replicas, as vllm.LoadProfile takes it

	Tables  io.Writer // gets each table as soon as it is complete
	Notices io.Writer // gets what a user should know besides
}

// speed is how many times as fast as their profile the replicas run.
const speed = 3

// mode is a row of the tables: a name, and what the module's configuration then says.
type mode struct {
	name   string
	plugin map[string]any
}

func hashMode(name string, chars int) mode {
	return mode{name, map[string]any{"policy": "prefix_hash", "prefix_hash": map[string]any{"prefix_chars": chars}}}
}

// demo is a pool of replicas with one Envoy per mode in front.
type demo struct {
	Options
	ctx      context.Context
	fleet    *fleet.Fleet
	gateways map[string]*gateway.Gateway
}

// Run runs both parts and returns the page. Errors: a replica or an Envoy that does not start, and requests that fail.
func Run(ctx context.Context, o Options) (*report.Page, error) {
	d := &demo{Options: o, ctx: ctx, gateways: map[string]*gateway.Gateway{}}
	defer d.close()
	if err := d.startFleet(); err != nil {
		return nil, err
	}
	page := &report.Page{
		Title: "warmroute: what prefix-aware routing is worth",
		Foot: fmt.Sprintf("Made by ./build.sh demo: a real Envoy with %s in front of three simulated vLLM replicas (profile %s, at %d times its speed). "+
			"Hits are counted by the replicas (cached_tokens), times by the client.", filepath.Base(o.Wasm), o.Profile, speed),
	}
	for _, part := range []func(*report.Page) error{d.phrases, d.conversations} {
		if err := part(page); err != nil {
			return nil, err
		}
	}
	return page, nil
}

// startFleet starts three replicas on the ports of the first proof of concept, or on free ones where those are taken.
func (d *demo) startFleet() error {
	profile, err := vllm.LoadProfile(d.Profile)
	if err != nil {
		return err
	}
	opt := fleet.Options{N: 3, Port: 8001, Profile: profile, Seed: 1, Speed: speed}
	if d.fleet, err = fleet.Start(opt); err != nil {
		fmt.Fprintf(d.Notices, "ports 8001 to 8003: %v; taking free ones\n", err)
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
	opt := gateway.Options{Envoy: d.Envoy, Wasm: d.Wasm, Config: d.Config, Plugin: m.plugin}
	for _, r := range d.fleet.Replicas {
		opt.Replicas = append(opt.Replicas, r.Addr())
	}
	g, err := gateway.Start(d.ctx, opt)
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
	r, err := bench.Run(d.ctx, bench.Options{URL: g.URL, Concurrency: concurrency}, w)
	if err == nil && r.Errors > 0 {
		err = fmt.Errorf("mode %s: %d of %d requests failed: %v", m.name, r.Errors, r.Requests, r.ErrorsByStatus)
	}
	return r, err
}

// emptyCaches makes every replica forget what it has seen.
func (d *demo) emptyCaches() error {
	for _, url := range d.fleet.URLs() {
		req, err := http.NewRequestWithContext(d.ctx, http.MethodPost, url+"/reset_prefix_cache", nil)
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
	fmt.Fprintf(d.Tables, "%s\n", strings.Repeat("─", 72))
	return s.WriteText(d.Tables)
}
