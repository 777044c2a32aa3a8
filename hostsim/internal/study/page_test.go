package study

import (
	"strings"
	"testing"

	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
)

// reuse is a trace of our own: conversations of five turns over shared system prompts; without reuse every prompt is new.
func reuse(t *testing.T, sharing bool) *trace.Trace {
	t.Helper()
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

func options(t *testing.T, tr *trace.Trace) replay.Options {
	t.Helper()
	p, err := vllm.LoadProfile("l4-8b-fp8")
	if err != nil {
		t.Fatal(err)
	}
	if p, err = replay.Fit(p, tr, 150_000); err != nil {
		t.Fatal(err)
	}
	return replay.Options{Trace: tr, Replicas: 4, Workers: 2, Gateways: 1, Profile: p, Speed: 1, Seed: 1, Engine: contender.Native}
}

// comparison replays policies on a trace with reuse.
func comparison(t *testing.T, policies ...string) *Replay {
	t.Helper()
	return compared(t, reuse(t, true), policies...)
}

func compared(t *testing.T, tr *trace.Trace, policies ...string) *Replay {
	t.Helper()
	o := options(t, tr)
	o.Detail = true
	b, err := NewBounds(tr, o.Replicas, o.Profile)
	if err != nil {
		t.Fatal(err)
	}
	c := &Replay{Title: "A replay", Bounds: &b, Meaning: func(name, value, _ string) string { return "a meaning of " + value }}
	for _, policy := range policies {
		o.Policy = policy
		r, err := replay.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		c.Runs = append(c.Runs, r)
	}
	return c
}

func TestPageIsBounded(t *testing.T) {
	page, err := comparison(t, "round_robin", "cache_aware", "prefix_hash").Page()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := page.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 1<<20 {
		t.Errorf("the page of 3,000 decisions has %d bytes", b.Len())
	}
	for _, banned := range []string{"<script src", "@import", "<link rel=\"stylesheet", "http://", "https://"} {
		if at := strings.Index(b.String(), banned); at >= 0 && !strings.Contains(b.String()[at:at+60], "w3.org") {
			t.Errorf("the page holds %q: it must need nothing else", b.String()[at:at+60])
		}
	}
}
