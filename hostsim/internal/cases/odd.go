package cases

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"warmroute/hostsim/internal/vllm"
)

// DrawnOdd are the cases of Drawn with cards and servers that nobody has: each time of a profile, its memory and its limits are drawn, too. So
// models are among them that read or attend more than those of the profiles do, chunks of 512 tokens, and servers that run eight requests.
func DrawnOdd(n int, seed uint64) []Case {
	return drawn(n, seed, "odd", func(i int) deck { return deck{card: oddCards(seed, i)} })
}

// oddCards are those of case i.
func oddCards(seed uint64, i int) func(name string) (vllm.Profile, string) {
	rng := rand.New(rand.NewPCG(seed, 23_000+uint64(i)))
	return func(name string) (vllm.Profile, string) {
		p, text := card(name)
		return p, text + odd(&p, rng)
	}
}

// odd makes a profile one that nobody has, and says what was changed, as multiples of what it was.
func odd(p *vllm.Profile, rng *rand.Rand) string {
	var text []string
	times := func(name string, most float64, of *float64) {
		by := span{1 / most, most}.draw(rng)
		*of *= by
		text = append(text, fmt.Sprintf("%s × %.2f", name, by))
	}
	times("step", 4, &p.StepOverhead)
	times("weights", 3, &p.Weights)
	times("admit", 5, &p.Admit)
	times("prefill", 4, &p.PrefillPerToken)
	times("pair", 5, &p.AttentionPerPair)
	times("sequence", 3, &p.DecodePerSeq)
	times("read", 5, &p.DecodePerKVToken)
	memory := span{0.3, 4}.draw(rng)
	p.KVBlocks = max(int(float64(p.KVBlocks)*memory), 1)
	p.MaxModelLen = min(p.MaxModelLen, p.KVTokens())
	p.MaxNumBatchedTokens = oneOf(rng, 512, 1024, 2048, 2048, 4096, 8192, 8192, 16384, 32768)
	p.MaxNumSeqs = oneOf(rng, 8, 16, 32, 64, 128, 256, 256, 512, 1024)
	text = append(text, fmt.Sprintf("memory × %.2f, steps of %d tokens and %d sequences", memory, p.MaxNumBatchedTokens, p.MaxNumSeqs))
	if rng.Float64() < 0.2 {
		p.LongPrefillTokens = p.MaxNumBatchedTokens / oneOf(rng, 2, 4, 8)
		text = append(text, fmt.Sprintf("%d of a prompt", p.LongPrefillTokens))
	}
	if rng.Float64() < 0.2 {
		p.Frontend, p.FrontendPerToken = span{1e5, 1e7}.draw(rng), span{100, 5000}.draw(rng)
		text = append(text, fmt.Sprintf("front end %.1f ms and %.1f µs a token", p.Frontend/1e6, p.FrontendPerToken/1e3))
	}
	if rng.Float64() < 0.2 {
		p.SpeculativeTokens, p.SpeculativeAcceptance, p.SpeculativeDraft = 1+rng.IntN(4), 0.4+rng.Float64()/2, p.Weights/5
		text = append(text, fmt.Sprintf("%d tokens drafted", p.SpeculativeTokens))
	}
	p.AsyncScheduling = rng.IntN(2)
	return " {" + strings.Join(text, ", ") + "}"
}
