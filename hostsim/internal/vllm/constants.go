package vllm

import "math"

// constant is a number that all cards share: what kernels and hosts make of a data sheet. Error is its relative
// half-width: about two thirds of the cards are expected within it.
type constant struct {
	value, err float64
	source     string
}

// constants are what derive uses beside data sheets and model shapes. "Kernel tables" are the published layer timings of
// vLLM 0.19 in LLMServingSim (profiler/perf: Llama-3.1-8B on an RTX 4090, Qwen3-32B on an RTX PRO 6000). docs/fidelity.md
// says what of whole runs is in them.
type constants struct {
	weights    constant // fraction of the bandwidth at which weights are read
	kv         constant // fraction of the bandwidth at which decoding reads KV
	arithmetic constant // fraction of the dense rate that products reach
	attention  constant // of that, what prefill attention reaches
	elements   constant // bytes of element-wise kernels, times what their shapes say
	pcie       constant // fraction of a PCIe link's one-way bandwidth that an all-reduce reaches
	nvlink     constant // the same of NVLink
	latency    constant // ns an all-reduce takes at least
	step       constant // ns of a step that neither graphs nor asynchronous scheduling hide
	sequence   constant // ns of the host's work per running sequence that is not hidden
	mixed      constant // of √(query heads per KV head): FlashAttention 2, decoding in a step with prefill
}

var shared = constants{
	weights:    constant{.88, .07, "kernel tables: 0.89 to 0.95 for 1 to 16 tokens, 0.80 to 0.87 beside the arithmetic for 32 to 128"},
	kv:         constant{.77, .12, "kernel tables, 1,000 tokens each: 0.73, 0.80, 0.88 for 32, 64, 128 sequences (RTX 4090), 0.67, 0.73, 0.81 (RTX PRO 6000)"},
	arithmetic: constant{.75, .15, "kernel tables, 2,048 tokens: 0.75 (RTX PRO 6000)"},
	attention:  constant{.65, .25, "kernel tables, 2,048 tokens: 0.62 to 0.73 of what products reach (RTX 4090)"},
	elements:   constant{.85, .30, "kernel tables, 2,048 tokens: 0.7 (RTX 4090), 0.9 (RTX PRO 6000) of the bytes at full bandwidth"},
	pcie:       constant{.25, .40, "first full steps of the RTX PRO 6000 run: 0.25, through the host's memory; 0.56 with peer access (LLMServingSim, hardware.yaml)"},
	nvlink:     constant{.75, .25, "assumed: bus bandwidth of NCCL for large messages"},
	latency:    constant{12e3, .40, "LLMServingSim, hardware.yaml: 12.7 us for 4 to 10 KB on two RTX PRO 6000"},
	step:       constant{.5e6, .80, "assumed: what of scheduling and launch is not hidden"},
	sequence:   constant{10e3, 1.00, "assumed: sampling takes 1 us a sequence (kernel tables); scheduling and input preparation, as far as a step does not hide them"},
	mixed:      constant{1.0, .25, "kernel tables, 64 sequences of 1,000 tokens: times 1.9 with 4 heads, 2.6 with 8; 128: 2.35 and 3.05"},
}

// unseen is added, as a square, to the interval of cards that the kernel tables do not cover: assumed.
const unseen = .15

// each calls f with every constant, in order.
func (c *constants) each(f func(*constant)) {
	for _, k := range []*constant{&c.weights, &c.kv, &c.arithmetic, &c.attention, &c.elements, &c.pcie, &c.nvlink, &c.latency, &c.step, &c.sequence, &c.mixed} {
		f(k)
	}
}

// reference steps, for which derive gives the interval: a whole prefill step, decoding, and both.
var reference = []work{
	{admitted: 1, prefillTokens: 2048, twicePairs: 2048 * 2048, sequences: 1},
	{decodeSeqs: 64, decodeContext: 64 * 1000, sequences: 64},
	{admitted: 1, prefillTokens: 1000, twicePairs: 1000 * 1000, decodeSeqs: 64, decodeContext: 64 * 1000, sequences: 65},
}

// stepError is the largest relative half-width over the reference steps: each constant is moved by its error, alone, and
// the changes are added as squares.
func stepError(derive func(constants) Profile) float64 {
	base := derive(shared)
	worst := 0.0
	for _, w := range reference {
		sum, at := 0.0, float64(base.stepTime(w))
		moved := shared
		moved.each(func(k *constant) {
			was := k.value
			k.value *= 1 + k.err
			p := derive(moved)
			change := float64(p.stepTime(w))/at - 1
			sum += change * change
			k.value = was
		})
		worst = max(worst, math.Sqrt(sum))
	}
	return math.Round(100*worst) / 100
}
