package vllm

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed datasheets/cards.json
var cardsFile []byte

//go:embed datasheets/models.json
var modelsFile []byte

// Card is what a GPU's data sheet says.
type Card struct {
	About            string  `json:"about"`
	Bandwidth        float64 `json:"bandwidth_gbs"`     // of its memory, GB/s
	BF16             float64 `json:"bf16_tflops"`       // dense, with fp32 accumulation, TFLOP/s
	Arithmetic       float64 `json:"arithmetic"`        // fraction of BF16 that products reach; 0: the shared constant
	ArithmeticError  float64 `json:"arithmetic_error"`  // relative half-width of Arithmetic
	ArithmeticSource string  `json:"arithmetic_source"` // where Arithmetic comes from
	Memory           float64 `json:"memory_mib"`        // as CUDA reports it, MiB
	Link             float64 `json:"link_gbs"`          // to the other GPUs, one way, GB/s
	LinkKind         string  `json:"link"`              // pcie or nvlink
	Attention        string  `json:"attention"`         // the kernels that vLLM chooses on it: fa2, fa3, flashinfer, rocm
	Seen             bool    `json:"seen"`              // the shared constants come from kernels measured on it
	Source           string  `json:"source"`
}

// Model is the shape of a dense decoder with gated feed-forward layers and grouped-query attention, in bfloat16.
type Model struct {
	About        string  `json:"about"`
	Layers       float64 `json:"layers"`
	Hidden       float64 `json:"hidden"`
	Intermediate float64 `json:"intermediate"`
	Heads        float64 `json:"heads"`
	KVHeads      float64 `json:"kv_heads"`
	HeadDim      float64 `json:"head_dim"`
	QKNorm       bool    `json:"qk_norm"` // queries and keys are normalised
	Vocab        float64 `json:"vocab"`
	MaxLen       int     `json:"max_len"`  // tokens
	Unlisted     bool    `json:"unlisted"` // it has profiles, but Profiles does not name them
	Source       string  `json:"source"`
}

// linear is the number of parameters of a layer's matrices, times layers.
func (m *Model) linear() float64 {
	attention := m.Hidden * (2*m.Heads + 2*m.KVHeads) * m.HeadDim
	return m.Layers * (attention + 3*m.Hidden*m.Intermediate)
}

const bytesPerNumber = 2 // bfloat16

// derivedNames are the combinations that Profiles lists: each card and model with the smallest number of GPUs, of 1, 2, 4
// or 8, that leaves room for 32,768 tokens of KV. Any other that fits can be named: CARD[xN]-MODEL. Deriving all takes 20 ms.
var derivedNames = sync.OnceValue(func() []string {
	var names []string
	cards, models := dataSheets()
	for _, card := range slices.Sorted(maps.Keys(cards)) {
		for _, model := range slices.Sorted(maps.Keys(models)) {
			if models[model].Unlisted {
				continue
			}
			for gpus := 1; gpus <= 8; gpus *= 2 {
				name := derivedName(card, model, gpus)
				if p, ok := deriveNamed(name); ok && p.KVTokens() >= 32768 {
					names = append(names, name)
					break
				}
			}
		}
	}
	return names
})

func derivedName(card, model string, gpus int) string {
	if gpus == 1 {
		return card + "-" + model
	}
	return fmt.Sprintf("%sx%d-%s", card, gpus, model)
}

func dataSheets() (cards map[string]Card, models map[string]Model) {
	if err := json.Unmarshal(cardsFile, &cards); err != nil {
		panic(err) // TestDataSheets reads both
	}
	if err := json.Unmarshal(modelsFile, &models); err != nil {
		panic(err)
	}
	return cards, models
}

// deriveNamed reads CARD[xN]-MODEL; ok is false if there is no such card or model, or if the model does not fit into N.
func deriveNamed(name string) (p Profile, ok bool) {
	cards, models := dataSheets()
	left, model, _ := strings.Cut(name, "-")
	gpus := 1
	if at := strings.LastIndexByte(left, 'x'); at > 0 {
		if n, err := strconv.Atoi(left[at+1:]); err == nil {
			if _, whole := cards[left]; !whole && n >= 1 && n <= 8 {
				left, gpus = left[:at], n
			}
		}
	}
	c, haveCard := cards[left]
	m, haveModel := models[model]
	if !haveCard || !haveModel || math.Mod(m.KVHeads, float64(gpus)) != 0 {
		return Profile{}, false
	}
	p = Derive(c, m, gpus)
	p.Name = name
	return p, p.KVBlocks >= 1
}

// Derive makes the profile of a model on gpus cards, tensor parallel, from data sheets and the shared constants, with an
// interval. Its limits are vLLM's defaults for the OpenAI server.
func Derive(c Card, m Model, gpus int) Profile {
	build := func(k constants) Profile {
		p := Profile{Basis: DataSheet, Sources: map[string]string{}, SmoothRoofline: 1, AsyncScheduling: 1}
		p.deriveTimes(c, m, float64(gpus), k)
		return p
	}
	p := build(shared)
	p.Error = stepError(build)
	p.Sources["step_error"] = "each shared constant moved by its error, alone; squares added; the worst of three steps (constants.go)"
	if !c.Seen {
		p.Error = math.Round(100*math.Hypot(p.Error, unseen)) / 100
		p.Sources["step_error"] += fmt.Sprintf("; and %.2f, since the constants were measured on other cards", unseen)
	}
	p.About = fmt.Sprintf("%s in bfloat16 on %d %s, tensor parallel; derived from data sheets, not calibrated", m.About, gpus, c.About)
	if gpus == 1 {
		p.About = fmt.Sprintf("%s in bfloat16 on one %s; derived from data sheets, not calibrated", m.About, c.About)
	}
	p.deriveLimits(c, m, float64(gpus))
	return p
}

func (p *Profile) deriveTimes(c Card, m Model, n float64, k constants) {
	set := func(field *float64, name string, value float64, format string, args ...any) {
		*field = roundTo(value)
		p.Sources[name] = fmt.Sprintf(format, args...)
	}
	if c.Arithmetic > 0 { // the card's own, moved as the shared constant is
		k.arithmetic = constant{c.Arithmetic * (1 + (k.arithmetic.value/shared.arithmetic.value-1)*c.ArithmeticError/shared.arithmetic.err), c.ArithmeticError, c.ArithmeticSource}
	}
	bandwidth := c.Bandwidth // GB/s: bytes per ns
	rate := c.BF16 * 1e3     // FLOP per ns
	products := rate * k.arithmetic.value
	head := m.Vocab * m.Hidden
	p.Sources["smooth_roofline"] = "kernel tables: 64 to 512 tokens take as long as the root of the sum of squares says, within 10 %"
	set(&p.Weights, "weights_ns", (m.linear()+head)*bytesPerNumber/n/(bandwidth*k.weights.value),
		"%.2fe9 parameters (%s) x 2 B / %g GPUs / (%g GB/s x %.2f); %s; %s", (m.linear()+head)/1e9, m.Source, n, bandwidth, k.weights.value, c.Source, k.weights.source)
	set(&p.PrefillPerToken, "prefill_ns_per_token", 2*m.linear()/n/products,
		"2 FLOP x %.2fe9 parameters / %g GPUs / (%g TFLOP/s x %.2f); %s", m.linear()/1e9, n, c.BF16, k.arithmetic.value, k.arithmetic.source)
	set(&p.DecodePerSeq, "decode_ns_per_seq", p.PrefillPerToken, "as one prefill token")
	set(&p.AttentionPerPair, "attention_ns_per_pair", 4*m.Layers*m.Heads*m.HeadDim/n/(products*k.attention.value),
		"4 FLOP x %g layers x %g heads x %g / %g GPUs / (%g TFLOP/s x %.2f x %.2f); %s", m.Layers, m.Heads, m.HeadDim, n, c.BF16, k.arithmetic.value, k.attention.value, k.attention.source)
	set(&p.DecodePerKVToken, "decode_ns_per_kv_token", m.kvBytes()/n/(bandwidth*k.kv.value),
		"%.0f B of KV / %g GPUs / (%g GB/s x %.2f); %s", m.kvBytes(), n, bandwidth, k.kv.value, k.kv.source)
	if c.Attention == "fa2" {
		set(&p.MixedAttention, "mixed_attention", max(1, k.mixed.value*math.Sqrt(m.Heads/m.KVHeads)),
			"%.2f x √(%g query heads per KV head): FlashAttention 2 does not group them there; %s", k.mixed.value, m.Heads/m.KVHeads, k.mixed.source)
	}
	elements := m.elementBytes(n) * k.elements.value / bandwidth
	overhead, source := elements, fmt.Sprintf("%.0f B of element-wise kernels x %.2f / %g GB/s; %s", m.elementBytes(n), k.elements.value, bandwidth, k.elements.source)
	step, stepSource := k.step.value, k.step.source
	if n > 1 {
		link := k.pcie
		if c.LinkKind == "nvlink" {
			link = k.nvlink
		}
		reduces := 2 * m.Layers
		overhead += reduces * m.Hidden * bytesPerNumber * 2 * (n - 1) / n / (c.Link * link.value)
		source += fmt.Sprintf("; and %g all-reduces x %g B x 2 (n - 1) / n / (%g GB/s x %.2f); %s", reduces, m.Hidden*bytesPerNumber, c.Link, link.value, link.source)
		step += reduces * k.latency.value
		stepSource += fmt.Sprintf("; and %g all-reduces x %.0f ns; %s", reduces, k.latency.value, k.latency.source)
	}
	set(&p.TokenOverhead, "token_overhead_ns", overhead, "%s", source)
	set(&p.StepOverhead, "step_overhead_ns", step, "%s", stepSource)
	set(&p.Sequence, "sequence_ns", k.sequence.value+2*head/n/products, "%.0f ns, and 2 FLOP x %.2fe9 parameters of the last layer; %s", k.sequence.value, head/1e9, k.sequence.source)
	set(&p.Admit, "admit_ns", 1e5, "assumed: tokenization is another process's; the rest is within a step")
}

// kvBytes are the bytes of KV that a token takes on all GPUs together.
func (m *Model) kvBytes() float64 { return 2 * m.Layers * m.KVHeads * m.HeadDim * bytesPerNumber }

// elementBytes are the bytes that element-wise kernels read and write for a token, on each GPU: two norms with residual
// (four times the hidden size each), the gated activation, rotary embedding, and norms of queries and keys.
func (m *Model) elementBytes(n float64) float64 {
	heads := (m.Heads + m.KVHeads) * m.HeadDim / n
	numbers := 2*4*m.Hidden + 3*m.Intermediate/n + 2*heads
	if m.QKNorm {
		numbers += 2 * heads
	}
	return m.Layers * numbers * bytesPerNumber
}

func (p *Profile) deriveLimits(c Card, m Model, n float64) {
	p.BlockSize, p.Sources["block_size"] = 16, "vLLM's default on CUDA"
	p.MaxNumBatchedTokens, p.MaxNumSeqs = 2048, 256
	defaults := "vLLM V1's default for the OpenAI server on GPUs below 70 GiB"
	if c.Memory >= 70*1024 {
		p.MaxNumBatchedTokens, p.MaxNumSeqs = 8192, 1024
		defaults = "vLLM V1's default for the OpenAI server on GPUs of 70 GiB and more"
	}
	p.Sources["max_num_batched_tokens"], p.Sources["max_num_seqs"] = defaults, defaults
	p.Sources["async_scheduling"] = "vLLM's default since 0.14 where the executor allows it"
	weights := (m.linear() + 2*m.Vocab*m.Hidden) * bytesPerNumber / n
	other := 1e9 + .2e6*float64(p.MaxNumBatchedTokens)
	free := c.Memory*(1<<20)*.9 - weights - other
	p.KVBlocks = max(0, int(free*n/m.kvBytes())/p.BlockSize)
	p.Sources["kv_blocks"] = fmt.Sprintf("%g x (%.0f MiB x 0.9 (gpu_memory_utilization) - %.2f GB weights - %.1f GB activations and graphs, assumed) / (%.0f B x 16 tokens)", n, c.Memory, weights/1e9, other/1e9, m.kvBytes())
	p.MaxModelLen, p.Sources["max_model_len"] = min(m.MaxLen, p.KVTokens()), m.Source+", or what fits"
}

// roundTo keeps four digits.
func roundTo(v float64) float64 {
	if v == 0 {
		return 0
	}
	scale := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*scale) / scale
}
