package main

import (
	"fmt"
	"strings"
	"time"

	"warmroute/hostsim/internal/bench"
	"warmroute/hostsim/internal/calibrate"
	"warmroute/hostsim/internal/console"
)

type calibrateProbeCmd struct {
	calibrateBase `embed:""`
	URL           string        `arg:"" help:"The server, http://ip:port. It should be idle."`
	Model         string        `help:"Model to request; by default the first that it lists."`
	Budget        time.Duration `help:"No probe begins after this time." default:"60s"`
	Timeout       time.Duration `help:"Time-out of one request." default:"60s"`
	AllowRemote   bool          `help:"Allow sending load to an address that is not loopback."`
}

// Run probes, and fits.
func (c *calibrateProbeCmd) Run(s *console.Streams) error {
	p, err := c.load()
	if err != nil {
		return err
	}
	if err := bench.CheckURL(c.URL, c.AllowRemote); err != nil {
		return err
	}
	server := &calibrate.Server{URL: c.URL, Model: c.Model, Timeout: c.Timeout}
	if server.Model == "" {
		if server.Model, err = bench.Model(s.Ctx, strings.TrimSuffix(c.URL, "/")); err != nil {
			return err
		}
	}
	page, err := server.Page(s.Ctx)
	if err != nil {
		return fmt.Errorf("%w; probing needs /metrics, to see that the server is idle", err)
	}
	if n := page.Busy(); n > 0 {
		return fmt.Errorf("%s has %d requests: a server must be idle to be probed; take it out of the pool, or use calibrate pages", c.URL, n)
	}
	measured, err := calibrate.Measure(s.Ctx, calibrate.Plan(p), server.Send, c.Budget, func(probe calibrate.Probe) {
		fmt.Fprintf(s.Stderr, "%v: %.1f ms, %.2f ms\n", probe, 1e3*probe.TTFT, 1e3*probe.TPOT)
	})
	if err != nil {
		return err
	}
	f, err := calibrate.Probes(p, measured, "hostsim calibrate probe "+c.URL)
	if err != nil {
		return err
	}
	return c.finish(s.Stdout, f,
		"steps with prefill and decoding together, but for the moments when a batch begins",
		"the size of the KV memory, and the batch, to whose double CUDA graphs go: give them with --set kv_blocks=N,max_num_seqs=N (vllm:cache_config_info)",
		"what happens when memory runs out")
}
