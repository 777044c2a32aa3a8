package vllm

import (
	"math"
	"testing"
)

// The shapes give the published numbers of parameters, and the models fit where they are known to.
func TestDataSheets(t *testing.T) {
	cards, models := dataSheets()
	for name, want := range map[string]float64{"llama8b": 8.03e9, "qwen32b": 32.76e9, "llama70b": 70.55e9} {
		m := models[name]
		if got := m.linear() + 2*m.Vocab*m.Hidden; math.Abs(got/want-1) > .005 {
			t.Errorf("%s: %.2fe9 parameters, want %.2fe9", name, got/1e9, want/1e9)
		}
	}
	for name, c := range cards {
		if c.Bandwidth <= 0 || c.BF16 <= 0 || c.Memory <= 0 || c.Link <= 0 || c.Source == "" || c.Arithmetic > 0 && c.ArithmeticSource == "" {
			t.Errorf("%s: %+v", name, c)
		}
		for other, m := range models {
			p := Derive(c, m, 1)
			if p.Error < .03 || p.Error > .6 {
				t.Errorf("%s, %s: interval ± %v", name, other, p.Error)
			}
		}
	}
	// LLMServingSim's run on an RTX 4090 reports 2,588 blocks with a limit of 2,048 tokens: activations took 1.24 GB.
	p := Derive(cards["rtx4090"], models["llama8b"], 1)
	if math.Abs(float64(p.KVBlocks)/2587-1) > .05 {
		t.Errorf("RTX 4090: %d blocks, measured 2587", p.KVBlocks)
	}
}

// Kernels of the published tables, µs: rows of vLLM 0.19 on the RTX 4090 (Llama-3.1-8B) and the RTX PRO 6000 (Qwen3-32B,
// one GPU's half), summed over the four products of a layer. The model is within 10 % of each.
func TestProductsAreWithinTheKernelTables(t *testing.T) {
	rows := []struct {
		profile string
		layers  float64
		head    float64 // µs of the last layer
		tokens  map[int64]float64
	}{
		{"rtx4090-llama8b", 32, 1097, map[int64]float64{1: 467.1, 32: 517.9, 128: 601.9, 512: 1387.1, 1024: 2723, 2048: 5407}},
		{"rtxpro6000x2-qwen32b", 64, 526, map[int64]float64{1: 350.7, 32: 371.4, 128: 407.7, 512: 738.6, 1024: 1348, 2048: 2531}},
	}
	for _, r := range rows {
		p, err := LoadProfile(r.profile)
		if err != nil {
			t.Fatal(err)
		}
		p.StepOverhead, p.Sequence, p.TokenOverhead, p.DecodePerKVToken = 1, 0, 0, 0
		for n, us := range r.tokens {
			got, want := float64(p.stepTime(work{decodeSeqs: n})), 1e3*(us*r.layers+r.head)
			t.Logf("%s, %d tokens: %.1f ms, table %.1f (%+.1f %%)", r.profile, n, got/1e6, want/1e6, 100*(got/want-1))
			if math.Abs(got/want-1) > .1 {
				t.Errorf("%s, %d tokens: %.1f ms, table %.1f", r.profile, n, got/1e6, want/1e6)
			}
		}
	}
}
