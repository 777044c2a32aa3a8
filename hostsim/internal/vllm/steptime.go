package vllm

import "math"

// A step takes
//
//	StepOverhead + Admit·(requests first scheduled) + Sequence·(sequences that get a token)
//	+ roofline(Weights, PrefillPerToken·(prefill tokens) + DecodePerSeq·(decoding sequences))
//	+ TokenOverhead·(tokens)
//	+ AttentionPerPair·(Σ over prefill tokens of the context each attends to)
//	+ DecodePerKVToken·(Σ of the decoding sequences' contexts), times MixedAttention in steps with prefill
//	+ SpeculativeDraft, if a sequence decodes, + LoRALoad·(adapters read) + LoRAActivate·(adapters put into slots)
//
// With speculative decoding each decoding sequence counts as 1 + SpeculativeTokens in the products.
//
// The roofline (Williams, Waterman, Patterson, CACM 2009) of the products with the weights is the longer of reading and
// arithmetic, or with SmoothRoofline √(reading² + arithmetic²): kernels between the two regimes take longer than either
// (measured tables in docs/fidelity.md). Attention is bound by arithmetic in prefill and by reading KV in decoding.

// work is what one step computes, in whole numbers, so that its time does not depend on the order of summation.
type work struct {
	admitted      int64 // requests first scheduled
	prefillTokens int64
	twicePairs    int64 // 2 × Σ context of prefill tokens: a token at position i attends to i+½ on average
	decodeSeqs    int64
	decodeContext int64 // Σ context of decoding sequences, tokens
	sequences     int64 // that get a token
	loads         int64 // adapters read into host memory
	activations   int64 // adapters put into slots
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

// stepTime is the duration of a step in ns, at least 1. The explicit conversions forbid fused multiply-add, and square
// roots are exact by IEEE 754, so that every architecture gives the same times.
func (p *Profile) stepTime(w work) int64 {
	t := p.StepOverhead
	t += float64(p.Admit * float64(w.admitted))
	t += float64(p.Sequence * float64(w.sequences))
	linear := float64(p.PrefillPerToken * float64(w.prefillTokens))
	decoding := float64(w.decodeSeqs)
	if p.SpeculativeTokens > 0 && w.decodeSeqs > 0 {
		decoding *= float64(1 + p.SpeculativeTokens)
		t += p.SpeculativeDraft
	}
	linear += float64(p.DecodePerSeq * decoding)
	if p.SmoothRoofline == 1 {
		t += math.Sqrt(float64(p.Weights*p.Weights) + float64(linear*linear))
	} else {
		t += max(p.Weights, linear)
	}
	t += float64(p.TokenOverhead * (float64(w.prefillTokens) + decoding))
	t += float64(p.AttentionPerPair * float64(w.twicePairs) / 2)
	reading := float64(p.DecodePerKVToken * float64(w.decodeContext))
	if w.prefillTokens > 0 && p.MixedAttention > 0 {
		reading = float64(reading * p.MixedAttention)
	}
	t += reading
	if w.loads+w.activations > 0 {
		t += float64(p.LoRALoad*float64(w.loads)) + float64(p.LoRAActivate*float64(w.activations))
	}
	return max(1, int64(math.Round(t)))
}

// graphTokens is the most tokens of a step that runs in CUDA graphs: vLLM's default for max_cudagraph_capture_size (config/vllm.py, 0.26).
func (p *Profile) graphTokens() int64 { return int64(min(2*p.MaxNumSeqs, 512)) }

// inGraph is the part of Launch that is left in a prefill whose products are in CUDA graphs, and whose attention is not. Measured on an H100 and
// an H200 with vLLM 0.26: 10 ms for 16 to 128 tokens, 20 ms for 129 to 1,024 (examples/vllm-gpu/results).
const inGraph = .5

// launched is how long a step takes whose kernels would compute for gpu ns if they were launched at once. In a step with prefill the CPU launches
// them one by one while the GPU computes: √(gpu² + launch²). A step that only decodes is one CUDA graph, in StepOverhead.
func (p *Profile) launched(w work, gpu int64) int64 {
	if w.prefillTokens == 0 || p.Launch == 0 {
		return gpu
	}
	launch := p.Launch
	if w.prefillTokens+w.decodeSeqs <= p.graphTokens() {
		launch = float64(launch * inGraph)
	}
	return int64(math.Round(math.Sqrt(float64(launch*launch) + float64(float64(gpu)*float64(gpu)))))
}

// PrefillTime is the time in ns from submission to first token on an idle replica, for a prompt of which cached tokens (0
// to prompt-1) are in the prefix cache. It is the closed form of what the engine does.
func (p *Profile) PrefillTime(cached, prompt int) int64 {
	total := int64(math.Ceil(p.frontEnd(&Request{PromptTokens: prompt})))
	for done := cached; done < prompt; {
		var w work
		if done == cached {
			w.admitted = 1
		}
		n := min(prompt-done, p.MaxNumBatchedTokens)
		w.addPrefill(n, done)
		if done += n; done == prompt {
			w.sequences = 1
		}
		total += p.launched(w, p.stepTime(w))
	}
	return total
}
