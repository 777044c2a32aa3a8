package fleet

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// published are the measured runs, with what their server's configuration says and data sheets cannot.
var published = []struct {
	folder, profile string
	limits          func(*Profile)
}{
	{"vllm_rtx4090_llama31_8b", "rtx4090-llama8b", func(p *Profile) {
		p.KVBlocks, p.MaxNumBatchedTokens, p.MaxNumSeqs, p.MaxModelLen = 2587, 2048, 256, 32768 // meta.json
	}},
	{"vllm_rtxpro6000_qwen3_32b", "rtxpro6000x2-qwen32b", func(p *Profile) {
		p.MaxNumBatchedTokens, p.MaxNumSeqs = 2048, 128 // meta.json
	}},
}

// TestPredictions holds profiles derived from data sheets to the measured runs: docs/fidelity.md gives what it prints.
func TestPredictions(t *testing.T) {
	root := os.Getenv("WARMROUTE_TRACES")
	for _, c := range published {
		p, err := LoadProfile(c.profile)
		if err != nil {
			t.Fatal(err)
		}
		c.limits(&p)
		if root == "" {
			continue // without the published runs, that the profiles load is all there is to see
		}
		run := loadRun(t, filepath.Join(root, c.folder))
		done, _ := run.replay(t, p)
		got := run.compare(done, 0, len(done))
		t.Logf("%s (%v): measured TTFT %.1f s, TPOT %.1f ms; error %v", c.profile, &p, mean(run.ttft), 1e3*mean(run.tpot), got)
		if math.Abs(got.ttftMean) > .15 || math.Abs(got.ttftP90) > .15 || math.Abs(got.tpotMean) > .1 {
			t.Errorf("%s: %v; want within 15 %%, 15 %% and 10 %%", c.profile, got)
		}
		for _, factor := range []float64{1 / (1 + p.Error), 1 + p.Error} {
			done, _ := run.replay(t, p.Slower(factor))
			t.Logf("steps × %.2f: %v", factor, run.compare(done, 0, len(done)))
		}
	}
}
