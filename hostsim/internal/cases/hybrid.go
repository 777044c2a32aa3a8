package cases

import (
	"fmt"
	"math/rand/v2"

	"warmroute/hostsim/internal/vllm"
)

// DrawnHybrid are the cases of Drawn with servers of hybrid models, of attention and recurrent layers: their KV blocks are large, since one
// of attention takes as much memory as a state, and half of them keep a state only where a step of a prompt ended.
func DrawnHybrid(n int, seed uint64) []Case {
	return drawn(n, seed, "hybrid", func(i int) deck {
		rng := rand.New(rand.NewPCG(seed, 37_000+uint64(i)))
		// As servers log them: vLLM's issues 40696 (Qwen3.5-4B 528) and 54458, vllm-ascend's pull request 7103 (Qwen3.5-35B-A3B 2048).
		tokens, aligned := oneOf(rng, 272, 400, 528, 528, 784, 1056, 1056, 1568, 2048, 4096), rng.IntN(2)
		return deck{card: func(name string) (vllm.Profile, string) {
			p, text := card(name)
			p, _ = p.WithBlocks(tokens) // all have room for several (TestDrawnHybrid)
			p.AlignedStates = aligned
			if text += fmt.Sprintf(" {blocks of %d tokens", tokens); aligned == 1 {
				text += ", states where steps ended"
			}
			return p, text + "}"
		}}
	})
}
