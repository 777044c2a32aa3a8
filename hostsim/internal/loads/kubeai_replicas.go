package loads

import (
	"math"

	"warmroute/hostsim/internal/vllm"
)

// L4 is l4-8b-fp8 with KubeAI's settings: gpu_memory_utilization, the bytes of KV a token (fp8 or bf16), and 16,384
// batched tokens, for whose activations 2 GB are assumed.
func L4(utilization, kvBytes float64) func() (vllm.Profile, error) {
	return func() (vllm.Profile, error) {
		const memory, weights, activations, usual = 23034 * 1048576.0, 9.08e9, 2.0e9, 131_072.0
		p, err := vllm.LoadProfile("l4-8b-fp8")
		if err != nil {
			return p, err
		}
		p.MaxNumBatchedTokens, p.MaxModelLen = 16384, 16384
		p.DecodePerKVToken *= kvBytes / usual
		return p.WithKVTokens(int((memory*utilization - weights - activations) / kvBytes))
	}
}

// H100For70B is what KubeAI ran: Llama-3.1-70B in FP8 (72.65 GB) with fp8 KV on one H100 of which 95 % are used. It is
// h100x2-70b on one card.
func H100For70B() (vllm.Profile, error) {
	const memory, weights, activations, kvBytes = 81559 * 1048576.0, 72.65e9, 2.5e9, 163_840.0
	p, err := vllm.LoadProfile("h100x2-70b")
	if err != nil {
		return p, err
	}
	p.StepOverhead = 0.5e6 // no all-reduces
	p.Weights, p.PrefillPerToken, p.AttentionPerPair, p.DecodePerSeq = 2*p.Weights, 2*p.PrefillPerToken, 2*p.AttentionPerPair, 2*p.DecodePerSeq
	// Half of the bytes a token, at half of the bandwidth: DecodePerKVToken is the same.
	p.MaxNumBatchedTokens, p.MaxModelLen = 16384, 16384
	room := (memory*0.95 - weights - activations) / kvBytes
	return p.WithKVTokens(int(math.Floor(room)))
}
