package fleet

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"math"
	"path"
	"strings"
)

//go:embed profiles/*.json
var profileFiles embed.FS

// Profile describes one replica: how long its steps take, and its limits. Times are in nanoseconds of virtual
// time. A step takes
//
//	StepOverhead + Admit·(requests first scheduled)
//	+ max(Weights, PrefillPerToken·(prefill tokens) + DecodePerSeq·(decoding sequences))
//	+ AttentionPerPair·(Σ over prefill tokens of the context each attends to)
//	+ DecodePerKVToken·(Σ of the decoding sequences' contexts)
//
// This is a roofline (Williams, Waterman, Patterson, CACM 2009) of each part: the matrix products with the weights take
// as long as reading the weights or as the arithmetic, whichever is longer; attention is bound by arithmetic in prefill
// and by reading KV in decoding. The source of each number says what it leaves out.
type Profile struct {
	Name  string
	About string

	StepOverhead     float64 // ns per step, ≥ 1
	Weights          float64 // ns to read all weights once, ≥ 0
	Admit            float64 // ns for each request first scheduled in a step, ≥ 0
	PrefillPerToken  float64 // ns per token, ≥ 0
	AttentionPerPair float64 // ns for each (query token, context token) pair of a prefill, ≥ 0
	DecodePerSeq     float64 // ns per decoding sequence, ≥ 0
	DecodePerKVToken float64 // ns per token of context read in decoding, ≥ 0

	BlockSize           int // tokens per KV block, 1–8192
	KVBlocks            int // usable KV blocks (vLLM's num_gpu_blocks less its null block), ≥ 1
	MaxNumBatchedTokens int // tokens per step, ≥ 1
	MaxNumSeqs          int // running requests, ≥ 1
	AsyncScheduling     int // 1: the next step is scheduled while one executes; 0: after it
	MaxModelLen         int // tokens of prompt and answer together, 2 – BlockSize·KVBlocks

	// Sources says for each field of the file where its number comes from.
	Sources map[string]string
}

// number is a value in a profile file, with its source.
type number struct {
	Value  *float64 `json:"value"`
	Source string   `json:"source"`
}

// field ties a name in the file to its place and its range.
type field struct {
	name     string
	float    *float64
	integer  *int
	min, max float64
}

func (p *Profile) fields() []field {
	const hour = 3.6e12
	return []field{
		{"step_overhead_ns", &p.StepOverhead, nil, 1, hour},
		{"weights_ns", &p.Weights, nil, 0, hour},
		{"admit_ns", &p.Admit, nil, 0, hour},
		{"prefill_ns_per_token", &p.PrefillPerToken, nil, 0, hour},
		{"attention_ns_per_pair", &p.AttentionPerPair, nil, 0, hour},
		{"decode_ns_per_seq", &p.DecodePerSeq, nil, 0, hour},
		{"decode_ns_per_kv_token", &p.DecodePerKVToken, nil, 0, hour},
		{"block_size", nil, &p.BlockSize, 1, 8192},
		{"kv_blocks", nil, &p.KVBlocks, 1, 1 << 30},
		{"max_num_batched_tokens", nil, &p.MaxNumBatchedTokens, 1, 1 << 24},
		{"max_num_seqs", nil, &p.MaxNumSeqs, 1, 1 << 20},
		{"async_scheduling", nil, &p.AsyncScheduling, 0, maxPipeline - 1},
		{"max_model_len", nil, &p.MaxModelLen, 2, 1 << 30},
	}
}

// Profiles lists the names of the profiles that are built in, sorted.
func Profiles() []string {
	entries, _ := profileFiles.ReadDir("profiles")
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".json"))
	}
	return names
}

// LoadProfile returns the built-in profile of that name. The error lists all names.
func LoadProfile(name string) (Profile, error) {
	data, err := profileFiles.ReadFile(path.Join("profiles", name+".json"))
	if err != nil {
		return Profile{}, fmt.Errorf("profile %q: none of that name; there are %s", name, strings.Join(Profiles(), ", "))
	}
	return ParseProfile(name, data)
}

// ParseProfile reads a profile file: every field an object with value and source, beside "about".
// Errors name the field that is missing, unknown, without a source or out of its range.
func ParseProfile(name string, data []byte) (Profile, error) {
	p := Profile{Name: name, Sources: map[string]string{}}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return Profile{}, fmt.Errorf("profile %s: %w", name, err)
	}
	if about, ok := raw["about"]; ok {
		if err := json.Unmarshal(about, &p.About); err != nil {
			return Profile{}, fmt.Errorf("profile %s: about: %w", name, err)
		}
		delete(raw, "about")
	}
	for _, f := range p.fields() {
		text, ok := raw[f.name]
		if !ok {
			return Profile{}, fmt.Errorf("profile %s: %s: missing", name, f.name)
		}
		delete(raw, f.name)
		var n number
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&n); err != nil {
			return Profile{}, fmt.Errorf("profile %s: %s: %w", name, f.name, err)
		}
		if n.Value == nil || n.Source == "" {
			return Profile{}, fmt.Errorf("profile %s: %s: needs a value and a source", name, f.name)
		}
		if f.integer != nil {
			if *n.Value != math.Trunc(*n.Value) || math.Abs(*n.Value) > 1<<52 {
				return Profile{}, fmt.Errorf("profile %s: %s: %v is not a whole number", name, f.name, *n.Value)
			}
			*f.integer = int(*n.Value)
		} else {
			*f.float = *n.Value
		}
		p.Sources[f.name] = n.Source
	}
	for unknown := range raw {
		return Profile{}, fmt.Errorf("profile %s: %s: no such field", name, unknown)
	}
	return p, p.Validate()
}

// Validate checks every range; the error names the field and what it allows.
func (p *Profile) Validate() error {
	for _, f := range p.fields() {
		v := 0.0
		if f.integer != nil {
			v = float64(*f.integer)
		} else {
			v = *f.float
		}
		if !(v >= f.min && v <= f.max) {
			return fmt.Errorf("profile %s: %s: %v is not within %v to %v", p.Name, f.name, v, f.min, f.max)
		}
	}
	if p.MaxModelLen > p.KVTokens() {
		return fmt.Errorf("profile %s: max_model_len: %d tokens do not fit into kv_blocks × block_size = %d",
			p.Name, p.MaxModelLen, p.KVTokens())
	}
	return nil
}

// KVTokens is the KV capacity in tokens.
func (p *Profile) KVTokens() int { return p.KVBlocks * p.BlockSize }

// WithKVTokens returns the profile with a KV capacity of n tokens, rounded down to whole blocks, and MaxModelLen
// reduced to what fits. The error names kv_blocks if n is below one block.
func (p Profile) WithKVTokens(n int) (Profile, error) {
	p.KVBlocks = n / p.BlockSize
	p.MaxModelLen = min(p.MaxModelLen, p.KVTokens())
	return p, p.Validate()
}

// Slower is the profile with steps that take factor times as long, factor > 0.
func (p Profile) Slower(factor float64) Profile {
	for _, time := range []*float64{&p.StepOverhead, &p.Weights, &p.Admit, &p.PrefillPerToken, &p.AttentionPerPair, &p.DecodePerSeq, &p.DecodePerKVToken} {
		*time *= factor
	}
	return p
}

// work is what one step computes, in whole numbers, so that its time does not depend on the order of summation.
type work struct {
	admitted      int64 // requests first scheduled
	prefillTokens int64
	twicePairs    int64 // 2 × Σ context of prefill tokens: a token at position i attends to i+½ on average
	decodeSeqs    int64
	decodeContext int64 // Σ context of decoding sequences, tokens
}

// addPrefill adds n prompt tokens that come after context tokens already in the cache.
func (w *work) addPrefill(n, context int) {
	w.prefillTokens += int64(n)
	w.twicePairs += int64(n) * int64(2*context+n)
}

func (w *work) addDecode(context int) {
	w.decodeSeqs++
	w.decodeContext += int64(context)
}

// stepTime is the duration of a step in ns, at least 1. The explicit conversions forbid fused multiply-add,
// so that every architecture gives the same times.
func (p *Profile) stepTime(w work) int64 {
	t := p.StepOverhead
	t += float64(p.Admit * float64(w.admitted))
	linear := float64(p.PrefillPerToken * float64(w.prefillTokens))
	linear += float64(p.DecodePerSeq * float64(w.decodeSeqs))
	t += max(p.Weights, linear)
	t += float64(p.AttentionPerPair * float64(w.twicePairs) / 2)
	t += float64(p.DecodePerKVToken * float64(w.decodeContext))
	return max(1, int64(math.Round(t)))
}

// PrefillTime is the time in ns from submission to first token on an idle replica, for a prompt of which cached tokens (0
// to prompt-1) are in the prefix cache. It is the closed form of what the engine does.
func (p *Profile) PrefillTime(cached, prompt int) int64 {
	var total int64
	for done := cached; done < prompt; {
		var w work
		if done == cached {
			w.admitted = 1
		}
		n := min(prompt-done, p.MaxNumBatchedTokens)
		w.addPrefill(n, done)
		total += p.stepTime(w)
		done += n
	}
	return total
}
