package vllm

import "fmt"

// Features are what a vLLM server may also do. Each is off when its number is 0. The behaviour is that of vLLM 0.32's
// scheduler and workers; features_test.go holds it to what they document. In 0.33 a request that preempts itself by its priority no longer
// ends the step, adapters of all running requests take slots, scheduled or not, and hits with EAGLE or MTP are a block longer.
type Features struct {
	// PrefixCachingOff 1: nothing is looked up, as vLLM does by default for hybrid models (attention and state-space layers).
	PrefixCachingOff int
	// AlignedStates 1: the model is hybrid, and the state of its recurrent layers is kept only where a step ended at the end of a block
	// (--mamba-cache-mode align): a prompt is found again up to such a place. Steps of prompts end there for it, where they can. The
	// memory that states take is not modelled. Source: vLLM, v1/core/sched/scheduler.py, _mamba_block_aligned_split.
	AlignedStates int
	// ChunkedPrefillOff 1: a prompt is admitted only when the step's budget has room for all of it.
	ChunkedPrefillOff int
	// LongPrefillTokens is the most that one step computes of one prompt (long_prefill_token_threshold), tokens.
	LongPrefillTokens int
	// PriorityScheduling 1: waiting requests are ordered by Request.Priority and arrival, and the one that is last by that
	// order is preempted first (--scheduling-policy priority).
	PriorityScheduling int

	// HostKVBlocks are the KV blocks of host memory, which keeps all blocks that were computed, the least recently used
	// evicted first (--kv-offloading-size). A prompt's blocks that only it has are copied to the GPU, one request after
	// another over one link, while other requests go on; the request waits for them.
	HostKVBlocks   int
	HostPerKVToken float64 // ns to copy a token's KV

	// SpeculativeTokens are the tokens drafted for each decoding request in each step. The engine generates 1 and the accepted
	// ones: a draft is accepted with SpeculativeAcceptance if all before it were (Leviathan, Kalman, Matias, ICML 2023, eq. 1).
	// The mean is used, not chance.
	SpeculativeTokens     int
	SpeculativeAcceptance float64 // 0–1
	SpeculativeDraft      float64 // ns of a step for drafting

	// MaxLoRAs are the adapters that one step can use, and the slots on the GPU; MaxHostLoRAs how many host memory keeps,
	// at least as many. Both evict the least recently used. A request whose adapter finds no slot in a step is passed over.
	MaxLoRAs, MaxHostLoRAs int
	LoRAActivate           float64 // ns to put an adapter from host memory into a slot; the step waits
	LoRALoad               float64 // ns to read one into host memory; the step waits
}

func (f *Features) validate(p *Profile) error {
	if f.SpeculativeTokens > 0 && 1+f.SpeculativeTokens > p.MaxNumBatchedTokens {
		return fmt.Errorf("profile %s: speculative_tokens: %d and one more do not fit into max_num_batched_tokens", p.Name, f.SpeculativeTokens)
	}
	if f.AlignedStates == 1 && f.HostKVBlocks > 0 {
		return fmt.Errorf("profile %s: aligned_states and host_kv_blocks: states in host memory are not modelled", p.Name)
	}
	if f.ChunkedPrefillOff == 1 && f.LongPrefillTokens == 0 && p.MaxModelLen > p.MaxNumBatchedTokens {
		return fmt.Errorf("profile %s: chunked_prefill_off: max_model_len %d needs as large a max_num_batched_tokens", p.Name, p.MaxModelLen)
	}
	return nil
}

// draft is how many tokens are drafted for s in the next step, at most budget and what its answer still lacks, and how many of
// them are accepted: the mean, in whole numbers over the steps.
func (e *Engine) draft(s *seq, budget int) (drafts, accepted int) {
	left := s.max - s.Generated - s.pending - 1
	drafts = min(e.profile.SpeculativeTokens, budget, left)
	if drafts <= 0 {
		return 0, 0
	}
	s.surplus += expectedDrafts(e.profile.SpeculativeAcceptance, drafts)
	accepted = min(int(s.surplus), drafts)
	s.surplus -= float64(accepted)
	return drafts, accepted
}

// expectedDrafts is the mean number of accepted ones of k drafts: a + a² + … + a^k.
func expectedDrafts(a float64, k int) float64 {
	sum, power := 0.0, 1.0
	for range k {
		power = float64(power * a)
		sum += power
	}
	return sum
}
