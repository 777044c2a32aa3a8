package calibrate

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/vllm"
)

// probed is the plan as a server would answer it that is as truth says, and base fitted to that.
func probed(t *testing.T, base, truth vllm.Profile) (plan []Probe, f *Fitted) {
	t.Helper()
	plan = Plan(base)
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
	return plan, f
}

// Probes that a slower server answered are fitted; what they leave open is said.
func TestProbesFindFactors(t *testing.T) {
	base := profileOf(t, "h100-llama8b")
	truth := slower(t, base, map[string]float64{"prefill and arithmetic": 1.3, "reading the weights": 1.2, "each step and sequence": 3})
	_, f := probed(t, base, truth)
	if e := spread(f.Residuals); e > .03 {
		t.Errorf("mean residual %.3f, before %.3f; want at most 0.03: %+v", e, f.Without, f.Residuals)
	}
	for name, want := range map[string]float64{"prefill and arithmetic": 1.3, "reading the weights": 1.2, "each step and sequence": 3} {
		for _, k := range f.Factors {
			if k.Name == name && k.Known && !(k.Value > want*.75 && k.Value < want*1.25) { // the front end can make up for a part of each step
				t.Errorf("%+v, want %v", k, want)
			}
		}
	}
}

// What is outside the GPU is found, though the profile has nothing of it; what the GPU takes stays.
func TestProbesFindWhatIsOutside(t *testing.T) {
	base := profileOf(t, "h100-llama8b")
	truth := base
	want := map[string]float64{"launch_ns": 20e6, "frontend_ns": 1.5e6, "frontend_ns_per_token": 3000}
	for name, v := range want {
		if err := truth.Set(name, v, "test"); err != nil {
			t.Fatal(err)
		}
	}
	plan, f := probed(t, base, truth)
	if e := spread(f.Residuals); e > .03 || f.Without < .3 {
		t.Errorf("mean residual %.3f, before %.3f; want at most 0.03, and 0.3 at least", e, f.Without)
	}
	for name, v := range want {
		if got, _ := f.Profile.Value(name); math.Abs(got/v-1) > .15 || !strings.HasPrefix(f.Profile.Sources[name], "calibrated; test") {
			t.Errorf("%s: %v (%s), want %v", name, got, f.Profile.Sources[name], v)
		}
	}
	for _, k := range f.Factors {
		if k.Found == 0 && math.Abs(k.Value-1) > .1 {
			t.Errorf("%+v, want × 1", k)
		}
	}
	var ids []Probe
	for _, p := range plan {
		if !p.Text {
			ids = append(ids, p)
		}
	}
	f, err := Probes(base, ids, "test")
	if err != nil || f.Profile.FrontendPerToken != 0 || f.Profile.Launch == 0 {
		t.Errorf("without text: %v ns for each token, launch %v ns, %v", f.Profile.FrontendPerToken, f.Profile.Launch, err)
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
		if !(m.TTFT > 0) || !(m.TPOT >= 0) { // on a starved machine all tokens may be read at once
			t.Errorf("%+v", m)
		}
	}
	page, err := server.Page(ctx)
	if err != nil || page.Busy() != 0 || page.Blocks != p.KVBlocks+1 {
		t.Errorf("page: %+v, %v", page, err)
	}
	text := int64(0)
	for _, m := range measured {
		if m.Text {
			text += int64(m.Repeats * m.Prompt)
		}
	}
	if hits := simulated.Replicas[0].Stats().Hits; hits > text || hits < text*9/10 {
		t.Errorf("%d tokens of probes were found in the cache, want those of text sent a second time: %d", hits, text)
	}
	if _, err := Measure(ctx, plan, server.Send, 0, nil); err == nil || !strings.Contains(err.Error(), "budget") {
		t.Errorf("no budget: %v", err)
	}
	broken := func(context.Context, Prompt, int) (Times, error) { return Times{}, errors.New("status 500") }
	if _, err := Measure(ctx, plan, broken, time.Minute, nil); err == nil || !strings.Contains(err.Error(), "500") {
		t.Errorf("a broken server: %v", err)
	}
	server.Model = "none"
	if _, err := server.Send(ctx, Prompt{IDs: []uint32{500}}, 1); err == nil || !strings.Contains(err.Error(), "status 404") {
		t.Errorf("an unknown model: %v", err)
	}
}
