package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"warmroute/hostsim/internal/bench"
	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/input"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/workload"
)

// prepare says how a run is made: of the workload, or of the trace.
func (c *benchCmd) prepare(s *console.Streams, targets []benchTarget) (benchRun, error) {
	if c.Trace != "" {
		return c.ofTrace(s, targets)
	}
	if c.Limit != 0 || c.Speed != 1 || c.Closed {
		return nil, errors.New("--limit, --speed and --closed are for a trace (--trace)")
	}
	c.Concurrency = cmp.Or(c.Concurrency, 1)
	return func(s *console.Streams, t benchTarget, round int, salt string, o bench.Options) (*bench.Result, error) {
		model := c.Model
		if model == "" {
			models, err := bench.Models(s.Ctx, t.url)
			if err != nil {
				return nil, err
			}
			model = models[0]
		}
		w, err := workload.New(c.Workload, workload.Options{
			Seed: c.Seed + uint64(round), Requests: c.Requests, Model: model, Salt: salt, PromptTokens: c.PromptTokens, OutputTokens: c.OutputTokens,
		})
		if err != nil {
			return nil, err
		}
		o.Progress = func(done, total int) { s.At(done, total, c.Workload) }
		return bench.Run(s.Ctx, o, w)
	}, nil
}

// ofTrace reads the trace, and says what of it cannot be sent as it was.
func (c *benchCmd) ofTrace(s *console.Streams, targets []benchTarget) (benchRun, error) {
	if c.WarmupPasses > 0 {
		return nil, errors.New("--warmup-passes: a trace is sent as it is; give --rounds, and look at the later ones")
	}
	if c.Requests != 6 || c.Workload != "phrases" || c.PromptTokens != 0 || c.OutputTokens != 0 || c.Seed != 0 {
		return nil, errors.New("--workload, --requests, --prompt-tokens, --output-tokens and --seed are for a workload; --limit sends a part of a trace")
	}
	if !(c.Speed > 0) {
		return nil, fmt.Errorf("--speed: %v is not above 0", c.Speed)
	}
	c.Concurrency = cmp.Or(c.Concurrency, 512)
	models := map[string][]string{}
	for _, t := range targets {
		if c.Model != "" {
			continue
		}
		listed, err := bench.Models(s.Ctx, t.url)
		if err != nil {
			return nil, err
		}
		models[t.url] = listed
	}
	t, err := input.Open(s, c.Trace, trace.Options{Limit: c.Limit}, true)
	if err != nil {
		return nil, err
	}
	maker := trace.Maker{Chat: true}
	said := false
	return func(s *console.Streams, to benchTarget, _ int, salt string, o bench.Options) (*bench.Result, error) {
		requests := make([]bench.Sent, len(t.Requests))
		renamed := 0
		for i := range t.Requests {
			r := &t.Requests[i]
			body, path := maker.Append(nil, t, r)
			model := c.Model
			if listed := models[to.url]; len(listed) > 0 && !slices.Contains(listed, bench.ModelOf(body)) {
				model = listed[0]
				renamed++
			}
			body, err := bench.Body(path, body, model, salt, r.OutputTokens)
			if err != nil {
				return nil, fmt.Errorf("%s: request %d: %w", console.Shown(c.Trace), i+1, err)
			}
			requests[i] = bench.Sent{After: r.After, Think: time.Duration(r.Think), Request: workload.Request{
				At: time.Duration(r.At), Session: fmt.Sprintf("%d", r.Session), Path: path, Body: body, OutputTokens: r.OutputTokens,
			}}
		}
		if renamed > 0 && !said {
			fmt.Fprintf(s.Stderr, "The server does not list the model of %d requests: they ask for %s (--model gives another).\n", renamed, models[to.url][0])
		}
		said = true
		o.Progress = func(done, total int) { s.At(done, total, console.Shown(c.Trace)) }
		return bench.Replay(s.Ctx, o, console.Shown(c.Trace), requests, bench.Pace{Speed: c.Speed, Closed: c.Closed})
	}, nil
}
