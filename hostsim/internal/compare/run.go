package compare

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"runtime"
	"strings"

	"warmroute/hostsim/internal/bench"
	"warmroute/hostsim/internal/gateway"
	"warmroute/hostsim/internal/workload"
)

// run sends one workload through one target, from empty caches.
func (c *comparison) run(ctx context.Context, round int, load Load, target Target) error {
	w, err := c.workload(round, load, target)
	if err != nil {
		return err
	}
	url := target.URL
	var g *gateway.Gateway
	if url == "" {
		if g, err = c.gateway(ctx, target); err != nil {
			return err
		}
		defer g.Close()
		url = g.URL
	}
	if c.Isolation == "reset" {
		if err := c.pool.reset(ctx); err != nil {
			return err
		}
	}
	before, err := c.pool.counters(ctx)
	if err != nil {
		return err
	}
	queues := startSampler(ctx, c.pool, c.Sample)
	o := bench.Options{URL: url, Concurrency: c.Concurrency, Timeout: c.Timeout, AllowRemote: c.AllowRemote}
	r, err := bench.Run(ctx, o, w)
	samples := queues.finish()
	if err != nil {
		return err
	}
	after, err := c.pool.settled(ctx, float64(r.Requests-r.Errors), before)
	if err != nil {
		return err
	}
	run := Pass{
		Workload: load.Name, Target: target.Name, Round: round + 1, Seed: c.Seed + uint64(round),
		Requests: r.Requests, Errors: r.Errors, Kinds: r.ErrorsByStatus, WallS: r.WallS, TTFT: r.TTFT, TPOT: r.TPOT, Latency: r.Latency,
		PromptTokens: r.PromptTokens, CachedTokens: r.CachedTokens, Servers: servers(before, after), Queue: samples,
		Agreement: agree(r.Records), records: r.Records,
	}
	if c.Experiment > 0 && target.Name == ExperimentTarget {
		if run.Arms, err = arms(ctx, g, float64(r.Requests-r.Errors), c.Window > 0); err != nil {
			return err
		}
	}
	c.result.Runs = append(c.result.Runs, run)
	c.log(&run)
	if c.Trace != nil && target.Name == c.Targets[0].Name {
		return c.trace(ctx, &run, w.Live)
	}
	return nil
}

func (c *comparison) workload(round int, load Load, target Target) (*workload.Workload, error) {
	o := load.Options
	o.Seed, o.Model = c.Seed+uint64(round), c.Model
	if c.Isolation == "salt" { // never used before
		o.Salt = fmt.Sprintf("%x/%s/%s/%d", c.began.UnixNano(), load.Name, target.Name, round)
	}
	return workload.New(load.Name, o)
}

// gateway starts an Envoy whose cluster vllm has the servers, however many, in place of the example's three.
func (c *comparison) gateway(ctx context.Context, target Target) (*gateway.Gateway, error) {
	var hosts []any
	for _, address := range c.Replicas {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return nil, fmt.Errorf("replica %q: %w", address, err)
		}
		socket := map[string]any{"address": at.Addr().String(), "port_value": at.Port()}
		hosts = append(hosts, map[string]any{"endpoint": map[string]any{"address": map[string]any{"socket_address": socket}}})
	}
	o := c.Gateway
	o.Plugin = map[string]any{"endpoints": c.Replicas, "response_header": bench.DecisionHeader}
	maps.Copy(o.Plugin, target.Plugin)
	placed := false
	o.Edit = func(doc any) {
		for _, cluster := range gateway.Find(doc, "load_assignment") {
			if cluster["name"] != "vllm" {
				continue
			}
			for _, locality := range gateway.Find(cluster, "lb_endpoints") {
				locality["lb_endpoints"] = hosts
				placed = true
			}
		}
	}
	g, err := gateway.Start(ctx, o)
	if err == nil && !placed {
		g.Close()
		return nil, fmt.Errorf("%s has no cluster named vllm with lb_endpoints", o.Config)
	}
	return g, err
}

func (c *comparison) log(r *Pass) {
	if c.Log == nil {
		return
	}
	line := fmt.Sprintf("round %d %s %s: TTFT mean %.1f ms, hit rate %.1f %%, %d requests in %.1f s", r.Round, r.Workload, r.Target,
		r.TTFT.Mean, 100*r.Servers.HitRate, r.Requests, r.WallS)
	if r.Errors > 0 {
		line += fmt.Sprintf(", %d failed: %v", r.Errors, r.Kinds)
	}
	c.Log(line)
}

// machine is how many processors of which kind this machine has.
func machine() string {
	text, _ := os.ReadFile("/proc/cpuinfo") // only Linux has it
	kind := runtime.GOARCH
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			kind = strings.TrimSpace(value)
			break
		}
	}
	return fmt.Sprintf("%d × %s", runtime.NumCPU(), kind)
}
