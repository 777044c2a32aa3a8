// Package sweeptest has small replays for the tests of what is asked of many.
package sweeptest

import (
	"context"
	"testing"

	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/loads"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/sweep"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
)

// Reuse is 1,000 requests: conversations of five turns over shared system prompts; without sharing every prompt is new.
func Reuse(sharing bool) *trace.Trace {
	tr := &trace.Trace{BlockSize: 64}
	next := uint32(1000)
	for i := range 1000 {
		session, turn := i%200, i/200
		blocks := trace.Blocks{{First: uint32(session % 5 * 8), N: 8}, {First: uint32(10_000 + session*60), N: uint32(8 + 8*turn)}}
		if !sharing {
			n := uint32(blocks.Len())
			blocks = trace.Blocks{{First: 100_000 + next, N: n}}
			next += n
		}
		after := -1
		if turn > 0 {
			after = i - 200
		}
		tr.Requests = append(tr.Requests, trace.Request{
			At: int64(i) * 30e6, Session: session, After: after, Think: 1e9,
			Blocks: blocks, InputTokens: blocks.Len() * 64, OutputTokens: 20 + i%7,
		})
	}
	tr.Sessions, tr.IDs = 200, 200_000
	return tr
}

// Options are a replay of a trace on four small replicas.
func Options(t *testing.T, tr *trace.Trace) replay.Options {
	t.Helper()
	p := profile(t, "l4-8b-fp8")
	p, err := replay.Fit(p, tr, 150_000)
	if err != nil {
		t.Fatal(err)
	}
	return replay.Options{Trace: tr, Replicas: 4, Workers: 2, Gateways: 1, Profile: p, Speed: 1, Seed: 1, Engine: contender.Native}
}

// Runs are replays of Options by each policy, with Detail.
func Runs(t *testing.T, tr *trace.Trace, policies ...string) (runs []*replay.Result) {
	t.Helper()
	o := Options(t, tr)
	o.Detail = true
	for _, policy := range policies {
		o.Policy = policy
		r, err := replay.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, r)
	}
	return runs
}

// Of is a sweep over a load of our own, on four replicas.
func Of(t *testing.T, m loads.Made) *sweep.Sweep {
	t.Helper()
	p := profile(t, "h100-8b")
	o := Options(t, m.Trace(1, 4, p))
	o.Profile = p
	return &sweep.Sweep{Context: t.Context(), Base: o, Progress: func(int, int, string) {}}
}

// Interrupted is a sweep that is interrupted when so many replays have begun.
func Interrupted(t *testing.T, m loads.Made, after int) *sweep.Sweep {
	t.Helper()
	s := Of(t, m)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	s.Context = ctx
	s.Progress = func(done, _ int, _ string) {
		if done >= after {
			cancel()
		}
	}
	return s
}

func profile(t *testing.T, name string) vllm.Profile {
	t.Helper()
	p, err := vllm.LoadProfile(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
