package calibrate

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/fleet"
)

// Probes that a slower server answered are fitted; what they leave open is said.
func TestProbesFindFactors(t *testing.T) {
	base := profileOf(t, "h100-llama8b")
	truth := slower(t, base, map[string]float64{"prefill and arithmetic": 1.3, "reading the weights": 1.2, "each step and sequence": 3})
	plan := Plan(base)
	for i := range plan {
		var err error
		if plan[i].TTFT, plan[i].TPOT, err = plan[i].predict(truth); err != nil {
			t.Fatal(err)
		}
	}
	f, err := Probes(base, plan, "test")
	if err != nil {
		t.Fatal(err)
	}
	if e := spread(f.Residuals); e > .03 {
		t.Errorf("mean residual %.3f, before %.3f; want at most 0.03: %+v", e, f.Without, f.Residuals)
	}
	for name, want := range map[string]float64{"prefill and arithmetic": 1.3, "reading the weights": 1.2, "each step and sequence": 3} {
		for _, k := range f.Factors {
			if k.Name == name && k.Known && !(k.Value > want*.85 && k.Value < want*1.15) {
				t.Errorf("%+v, want %v", k, want)
			}
		}
	}
}

// The plan fits a small server, and begins with what is cheap.
func TestPlan(t *testing.T) {
	p := profileOf(t, "cpu-tiny")
	plan := Plan(p)
	for i, probe := range plan {
		if probe.Batch > p.MaxNumSeqs || probe.Prompt+probe.Answer > p.MaxModelLen || i > 0 && probe.cost() < plan[i-1].cost() {
			t.Errorf("%+v after %+v", probe, plan[max(0, i-1)])
		}
	}
	if len(plan) < 8 {
		t.Errorf("%d probes", len(plan))
	}
}

// A simulated server over HTTP: all probes are answered, the server ends idle, and the errors are told. Its times are
// those of this machine, and nothing is held to them.
func TestMeasureOverHTTP(t *testing.T) {
	p := profileOf(t, "h100-llama8b")
	simulated, err := fleet.Start(fleet.Options{N: 1, Profile: p, Speed: 20})
	if err != nil {
		t.Fatal(err)
	}
	defer simulated.Close()
	ctx := context.Background()
	server := &Server{URL: simulated.URLs()[0], Model: fleet.DefaultModel, Timeout: 20 * time.Second}
	plan := Plan(p)
	measured, err := Measure(ctx, plan, server.Send, time.Minute, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range measured {
		if !(m.TTFT > 0) || m.Answer > 1 && !(m.TPOT > 0) {
			t.Errorf("%+v", m)
		}
	}
	page, err := server.Page(ctx)
	if err != nil || page.Busy() != 0 || page.Blocks != p.KVBlocks+1 {
		t.Errorf("page: %+v, %v", page, err)
	}
	if hits := simulated.Replicas[0].Stats().Hits; hits > 0 {
		t.Errorf("%d tokens of probes were found in the cache", hits)
	}
	if _, err := Measure(ctx, plan, server.Send, 0, nil); err == nil || !strings.Contains(err.Error(), "budget") {
		t.Errorf("no budget: %v", err)
	}
	broken := func(context.Context, []uint32, int) (float64, float64, error) { return 0, 0, errors.New("status 500") }
	if _, err := Measure(ctx, plan, broken, time.Minute, nil); err == nil || !strings.Contains(err.Error(), "500") {
		t.Errorf("a broken server: %v", err)
	}
	server.Model = "none"
	if _, _, err := server.Send(ctx, []uint32{500}, 1); err == nil || !strings.Contains(err.Error(), "status 404") {
		t.Errorf("an unknown model: %v", err)
	}
}
