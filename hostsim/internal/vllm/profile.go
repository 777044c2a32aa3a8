package vllm

import (
	"fmt"
	"maps"
)

// Profile describes one replica: how long its steps take, and its limits. Times are in nanoseconds of virtual time;
// steptime.go has the formula.
type Profile struct {
	Name  string
	About string
	Basis Basis   // what the times rest on
	Error float64 // relative half-width of the interval around a step's time, 0–1; 0: not known

	StepOverhead     float64 // ns per step, ≥ 1
	Weights          float64 // ns to read all weights once, ≥ 0
	Admit            float64 // ns for each request first scheduled in a step, ≥ 0
	PrefillPerToken  float64 // ns per token, ≥ 0
	AttentionPerPair float64 // ns for each (query token, context token) pair of a prefill, ≥ 0
	DecodePerSeq     float64 // ns per decoding sequence, ≥ 0
	DecodePerKVToken float64 // ns per token of context read in decoding, ≥ 0

	// Optional in a file: 0 leaves the term out.
	SmoothRoofline int     // 1: reading weights and arithmetic overlap in part; 0: fully
	TokenOverhead  float64 // ns per token beside the products: element-wise kernels, all-reduces; ≥ 0
	Sequence       float64 // ns for each sequence that gets a token: the last layer, sampling, the host's work; ≥ 0
	MixedAttention float64 // a decoding token costs that many times DecodePerKVToken in a step with prefill; 0 counts as 1

	// Time that is not the GPU's; replicas that share a GPU do not share it. Optional: 0 leaves it out.
	Launch           float64 // ns that a step with prefill takes at least: its kernels are launched one by one, without a CUDA graph; ≥ 0
	Frontend         float64 // ns of a request alone in the server's front end, which requests share, before the scheduler sees it: HTTP, template; ≥ 0
	FrontendPerToken float64 // ns more for each token of a prompt that comes as text: the tokenizer; ≥ 0

	Features

	BlockSize           int // tokens per KV block, 1–8192
	HashedBlocks        int // of Request.Hashes, in a KV block; 0 counts as 1. No field of a file
	KVBlocks            int // usable KV blocks (vLLM's num_gpu_blocks less its null block), ≥ 1
	MaxNumBatchedTokens int // tokens per step, ≥ 1
	MaxNumSeqs          int // running requests, ≥ 1
	AsyncScheduling     int // 1: the next step is scheduled while one executes; 0: after it
	MaxModelLen         int // tokens of prompt and answer together, 2 – BlockSize·KVBlocks

	// Sources says for each field of the file where its number comes from.
	Sources map[string]string
}

// Basis says what a profile's times rest on.
type Basis string

// The kinds of basis.
const (
	DataSheet  Basis = "data sheet" // published specifications and the constants of constants.go
	Calibrated Basis = "calibrated" // fitted to what a server showed under load
	Measured   Basis = "measured"   // fitted to a log of that server's requests, and tested on others of it
)

// String is what tables show: "data sheet ± 15 %".
func (p *Profile) String() string {
	if p.Error == 0 {
		return string(p.Basis)
	}
	return fmt.Sprintf("%s ± %.0f %%", p.Basis, 100*p.Error)
}

// field ties a name in the file to its place and its range. An optional one that a file leaves out is 0.
type field struct {
	name     string
	float    *float64
	integer  *int
	min, max float64
	optional bool
}

func (f field) value() float64 {
	if f.integer != nil {
		return float64(*f.integer)
	}
	return *f.float
}

func (p *Profile) fields() []field {
	const hour = 3.6e12
	return []field{
		{"step_overhead_ns", &p.StepOverhead, nil, 1, hour, false},
		{"weights_ns", &p.Weights, nil, 0, hour, false},
		{"admit_ns", &p.Admit, nil, 0, hour, false},
		{"prefill_ns_per_token", &p.PrefillPerToken, nil, 0, hour, false},
		{"attention_ns_per_pair", &p.AttentionPerPair, nil, 0, hour, false},
		{"decode_ns_per_seq", &p.DecodePerSeq, nil, 0, hour, false},
		{"decode_ns_per_kv_token", &p.DecodePerKVToken, nil, 0, hour, false},
		{"smooth_roofline", nil, &p.SmoothRoofline, 0, 1, true},
		{"token_overhead_ns", &p.TokenOverhead, nil, 0, hour, true},
		{"sequence_ns", &p.Sequence, nil, 0, hour, true},
		{"mixed_attention", &p.MixedAttention, nil, 0, 100, true},
		{"launch_ns", &p.Launch, nil, 0, hour, true},
		{"frontend_ns", &p.Frontend, nil, 0, hour, true},
		{"frontend_ns_per_token", &p.FrontendPerToken, nil, 0, hour, true},
		{"prefix_caching_off", nil, &p.PrefixCachingOff, 0, 1, true},
		{"aligned_states", nil, &p.AlignedStates, 0, 1, true},
		{"chunked_prefill_off", nil, &p.ChunkedPrefillOff, 0, 1, true},
		{"long_prefill_tokens", nil, &p.LongPrefillTokens, 0, 1 << 24, true},
		{"priority_scheduling", nil, &p.PriorityScheduling, 0, 1, true},
		{"host_kv_blocks", nil, &p.HostKVBlocks, 0, 1 << 30, true},
		{"host_ns_per_kv_token", &p.HostPerKVToken, nil, 0, hour, true},
		{"speculative_tokens", nil, &p.SpeculativeTokens, 0, 64, true},
		{"speculative_acceptance", &p.SpeculativeAcceptance, nil, 0, 1, true},
		{"speculative_draft_ns", &p.SpeculativeDraft, nil, 0, hour, true},
		{"max_loras", nil, &p.MaxLoRAs, 0, 1 << 16, true},
		{"max_host_loras", nil, &p.MaxHostLoRAs, 0, 1 << 16, true},
		{"lora_activate_ns", &p.LoRAActivate, nil, 0, hour, true},
		{"lora_load_ns", &p.LoRALoad, nil, 0, hour, true},
		{"step_error", &p.Error, nil, 0, 1, true},
		{"block_size", nil, &p.BlockSize, 1, 8192, false},
		{"kv_blocks", nil, &p.KVBlocks, 1, 1 << 30, false},
		{"max_num_batched_tokens", nil, &p.MaxNumBatchedTokens, 1, 1 << 24, false},
		{"max_num_seqs", nil, &p.MaxNumSeqs, 1, 1 << 20, false},
		{"async_scheduling", nil, &p.AsyncScheduling, 0, maxPipeline - 1, false},
		{"max_model_len", nil, &p.MaxModelLen, 2, 1 << 30, false},
	}
}

// Validate checks every range; the error names the field and what it allows.
func (p *Profile) Validate() error {
	for _, f := range p.fields() {
		if v := f.value(); !(v >= f.min && v <= f.max) {
			return fmt.Errorf("profile %s: %s: %v is not within %v to %v", p.Name, f.name, v, f.min, f.max)
		}
	}
	if p.MaxModelLen > p.KVTokens() {
		return fmt.Errorf("profile %s: max_model_len: %d tokens do not fit into kv_blocks × block_size = %d",
			p.Name, p.MaxModelLen, p.KVTokens())
	}
	return p.Features.validate(p)
}

// KVTokens is the KV capacity in tokens.
func (p *Profile) KVTokens() int { return p.BlockSize * p.KVBlocks }

// AllKVTokens is the same with the memory of its host.
func (p *Profile) AllKVTokens() int { return p.BlockSize * (p.KVBlocks + p.HostKVBlocks) }

// WithBlocks is the profile with blocks of so many tokens, in about the same memory. The error names what is out of range.
func (p Profile) WithBlocks(tokens int) (Profile, error) {
	kv := p.KVTokens()
	p.SetBlock(tokens)
	return p.WithKVTokens(kv)
}

// SetBlock makes a block so many tokens, not 0, and host memory as large as it was. How many blocks there are is WithKVTokens' matter.
func (p *Profile) SetBlock(tokens int) {
	p.HostKVBlocks = p.BlockSize * p.HostKVBlocks / tokens
	p.BlockSize = tokens
}

// Blocks are the hashes of whole KV blocks, of those of a request.
func (p *Profile) Blocks(hashes []uint64) []uint64 {
	n := p.HashedBlocks
	if n < 2 || hashes == nil {
		return hashes
	}
	whole := make([]uint64, len(hashes)/n)
	for i := range whole {
		whole[i] = hashes[(i+1)*n-1] // each is that of all before it, too
	}
	return whole
}

// WithKVTokens is the profile with a KV memory of n tokens, rounded down to whole blocks, and MaxModelLen
// reduced to what fits. The error names kv_blocks if n is below one block.
func (p Profile) WithKVTokens(n int) (Profile, error) {
	p.KVBlocks = n / p.BlockSize
	p.MaxModelLen = min(p.MaxModelLen, p.KVTokens())
	return p, p.Validate()
}

// Slower is the profile with steps that take factor times as long, factor > 0.
func (p Profile) Slower(factor float64) Profile {
	for _, time := range p.times() {
		*time *= factor
	}
	return p
}

// times are the terms of a step's time, in ns.
func (p *Profile) times() []*float64 {
	return []*float64{&p.StepOverhead, &p.Weights, &p.Admit, &p.PrefillPerToken, &p.AttentionPerPair, &p.DecodePerSeq,
		&p.DecodePerKVToken, &p.TokenOverhead, &p.Sequence, &p.Launch, &p.HostPerKVToken, &p.SpeculativeDraft, &p.LoRAActivate, &p.LoRALoad}
}

// Value returns a number of the profile by its name in a file.
func (p *Profile) Value(name string) (v float64, ok bool) {
	for _, f := range p.fields() {
		if f.name == name {
			return f.value(), true
		}
	}
	return 0, false
}

// Set changes a number by its name in a file. The error names the field and what it allows.
func (p *Profile) Set(name string, value float64, source string) error {
	for _, f := range p.fields() {
		if f.name != name {
			continue
		}
		if f.integer == nil {
			*f.float = value
		} else if *f.integer = int(value); float64(*f.integer) != value {
			return fmt.Errorf("profile %s: %s: %v is not a whole number", p.Name, name, value)
		}
		p.Sources = maps.Clone(p.Sources)
		p.Sources[name] = source
		if !(value >= f.min && value <= f.max) {
			return fmt.Errorf("profile %s: %s: %v is not within %v to %v", p.Name, name, value, f.min, f.max)
		}
		return nil
	}
	return fmt.Errorf("profile %s: %s: no such field", p.Name, name)
}
