package calibrate

import (
	"math"
	"testing"

	"warmroute/hostsim/internal/vllm"
)

// publishedRuns are the measured runs, with what their server's configuration says and data sheets cannot.
var publishedRuns = []struct {
	folder, profile string
	limits          func(*vllm.Profile)
}{
	{"vllm_rtx4090_llama31_8b", "rtx4090-llama8b", func(p *vllm.Profile) {
		p.KVBlocks, p.MaxNumBatchedTokens, p.MaxNumSeqs, p.MaxModelLen = 2587, 2048, 256, 32768 // meta.json
	}},
	{"vllm_rtxpro6000_qwen3_32b", "rtxpro6000x2-qwen32b", func(p *vllm.Profile) {
		p.MaxNumBatchedTokens, p.MaxNumSeqs = 2048, 128 // meta.json
	}},
}

// TestPredictions holds profiles derived from data sheets to the measured runs: docs/fidelity.md gives what it prints.
// The measured means lie within the interval.
func TestPredictions(t *testing.T) {
	for _, c := range publishedRuns {
		p := profileOf(t, c.profile)
		c.limits(&p)
		run, published := measuredRun(t, c.folder, p)
		done, _ := replay(t, run, p)
		got := run.Compare(done, 0, len(done))
		t.Logf("%s (%v), published %v: TTFT %.1f s, TPOT %.1f ms; error %v", c.profile, &p, published, mean(run.TTFT), 1e3*mean(run.TPOT), got)
		if math.Abs(got.TTFTMean) > .15 || math.Abs(got.TTFTP90) > .15 || math.Abs(got.TPOTMean) > .1 {
			t.Errorf("%s: %v; want within 15 %%, 15 %% and 10 %%", c.profile, got)
		}
		var ends []Errors
		for _, factor := range []float64{1 / (1 + p.Error), 1 + p.Error} {
			done, _ := replay(t, run, p.Slower(factor))
			ends = append(ends, run.Compare(done, 0, len(done)))
			t.Logf("steps × %.2f: %v", factor, ends[len(ends)-1])
		}
		if ends[0].TTFTMean > 0 || ends[1].TTFTMean < 0 || ends[0].TPOTMean > 0 || ends[1].TPOTMean < 0 {
			t.Errorf("%s: measured is not within the interval, %v to %v", c.profile, ends[0], ends[1])
		}
	}
}

// TestCalibrated fits the same profiles to the first half of each run, and judges the second.
func TestCalibrated(t *testing.T) {
	for _, c := range publishedRuns {
		p := profileOf(t, c.profile)
		c.limits(&p)
		run, published := measuredRun(t, c.folder, p)
		f, err := run.Log(p, .5, "test")
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s, published %v: fitted %v; others %v, before %v", c.profile, published, f.After[0], f.After[1], f.Before[1])
		if e := f.After[1]; math.Abs(e.TTFTMean) > .05 || math.Abs(e.TTFTP90) > .05 || math.Abs(e.TPOTMean) > .03 {
			t.Errorf("%s: %v over the second half; want within 5 %%, 5 %% and 3 %%", c.profile, e)
		}
	}
}
