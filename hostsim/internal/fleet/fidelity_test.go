package fleet

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// rtx4090Run is the published run where WARMROUTE_TRACES names a folder that has it, else one made by the
// profile itself, which shows that replay, comparison and fit do what they say.
func rtx4090Run(t testing.TB, p Profile) (run measuredRun, published bool) {
	t.Helper()
	if root := os.Getenv("WARMROUTE_TRACES"); root != "" {
		return loadRun(t, filepath.Join(root, "vllm_rtx4090_llama31_8b")), true
	}
	dir := t.TempDir()
	writeRun(t, dir, p)
	return loadRun(t, dir), false
}

// TestFidelity holds the model to the measured run: docs/fidelity.md gives the figures it prints under -v.
func TestFidelity(t *testing.T) {
	p, err := LoadProfile("rtx4090-8b")
	if err != nil {
		t.Fatal(err)
	}
	run, published := rtx4090Run(t, p)
	done, st := run.replay(t, p)
	half := len(done) / 2
	t.Logf("published run %v: TTFT mean %.1f s, TPOT mean %.2f ms; %+v", published, mean(run.ttft), 1e3*mean(run.tpot), st)
	for _, part := range []struct {
		name     string
		from, to int
	}{{"first half, fitted", 0, half}, {"second half, not fitted", half, len(done)}, {"all", 0, len(done)}} {
		got := run.compare(done, part.from, part.to)
		t.Logf("%s: %v", part.name, got)
		if math.Abs(got.ttftMean) > .02 || math.Abs(got.ttftP90) > .02 || math.Abs(got.tpotMean) > .02 {
			t.Errorf("%s: %v; want within 2 %%", part.name, got)
		}
	}
	if got, want := run.fit(t, p), p.DecodePerKVToken; math.Abs(got-want) > 2 {
		t.Errorf("the first half fits best at %v ns a KV token; the profile has %v", got, want)
	}
}

// TestFidelityIsDerived shows what the model owes to the fit: before it, from published numbers alone.
func TestFidelityIsDerived(t *testing.T) {
	p, err := LoadProfile("rtx4090-8b")
	if err != nil {
		t.Fatal(err)
	}
	run, published := rtx4090Run(t, p)
	for _, c := range []struct {
		name   string
		change func(*Profile)
		worst  float64 // of the three errors
	}{
		{"as it is", func(*Profile) {}, .02},
		{"KV read at 0.9 of the bandwidth", func(p *Profile) { p.DecodePerKVToken = 144.5 }, .05},
		{"no async scheduling", func(p *Profile) { p.AsyncScheduling = 0 }, .05},
		{"weights not hidden", func(p *Profile) { p.StepOverhead, p.Weights = p.StepOverhead+p.Weights, 0 }, .25},
	} {
		q := p
		c.change(&q)
		done, _ := run.replay(t, q)
		got := run.compare(done, 0, len(done))
		t.Logf("%s: %v", c.name, got)
		if worst := max(math.Abs(got.ttftMean), math.Abs(got.ttftP90), math.Abs(got.tpotMean)); published && worst > c.worst {
			t.Errorf("%s: %v; want within %v", c.name, got, c.worst)
		}
	}
}
