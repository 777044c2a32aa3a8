package peers

import (
	"math/rand/v2"
	"slices"

	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
	"warmroute/plugin/prompt"
)

const aboutLLMD = "llm-d's router (the endpoint picker of the Gateway API Inference Extension) with the approximate prefix scorer: the highest sum of 3 × matched share of the prompt, 2 × (longest queue − queue) ÷ (longest − shortest) " +
	"and 2 × free share of the KV cache, ties at random. At most 131,072 tokens of a prompt are matched (256 blocks in 0.8), in blocks as long as the replicas' own, 64 tokens at least, of which a replica is taken to hold as many as it has (autoTune). " +
	"Read: the router's approximateprefix plugin with its README as of 2026, \"Prefix-Cache Aware Routing\" and \"Request Scheduler\" of llm-d 0.8, the extension's prefix plugin guide, and Red Hat's and " +
	"GPUStack's pages for the weights of the default profile. Queue and cache use are read from the replicas every 50 ms; tokens are estimated as four characters. " +
	"Not replayed: precise KV events, the scorer no-hit-lru, and the later guides' profile of an affinity filter before a scorer of tokens in flight."

// llmd adds up scores from 0 to 1.
type llmd struct {
	*known
	rng     *rand.Rand
	waiting []int
	usage   []float64
}

const (
	llmdBlock       = 64      // tokens, at least
	llmdMost        = 131_072 // tokens
	llmdCapacity    = 31_250  // blocks, until a replica has said how many it has
	llmdPrefix      = 3.0
	llmdQueue       = 2.0
	llmdUtilization = 2.0
)

func newLLMD(rng *rand.Rand) policy {
	return &llmd{known: &known{size: llmdBlock * trace.BytesPerToken, capacity: llmdCapacity}, rng: rng}
}

func (l *llmd) join(address string) {
	l.known.join(address)
	l.waiting, l.usage = append(l.waiting, 0), append(l.usage, 0)
}

func (l *llmd) leave(replica int) {
	l.known.leave(replica)
	l.waiting, l.usage = slices.Delete(l.waiting, replica, replica+1), slices.Delete(l.usage, replica, replica+1)
}

func (l *llmd) scraped(replica int, s vllm.Stats) {
	l.waiting[replica], l.usage[replica] = s.Waiting, float64(s.UsedBlocks)/float64(s.Blocks)
	l.known.size, l.known.capacity = max(s.BlockSize, llmdBlock)*trace.BytesPerToken, s.Blocks
}

func (l *llmd) pick(text []byte, _ *prompt.Prompt, inFlight []int) (int, string) {
	blocks := l.known.read(text, llmdMost*trace.BytesPerToken/l.known.size)
	low, high := slices.Min(l.waiting), slices.Max(l.waiting)
	costs, most := make([]float64, len(inFlight)), 0
	for i := range costs {
		n := l.known.matched(i)
		most = max(most, n)
		if blocks > 0 {
			costs[i] -= llmdPrefix * float64(n) / float64(blocks)
		}
		queue := 1.0
		if high > low {
			queue = float64(high-l.waiting[i]) / float64(high-low)
		}
		costs[i] -= llmdQueue*queue + llmdUtilization*(1-l.usage[i])
	}
	to := least(costs, l.rng)
	reason := "by_load"
	if n := l.known.matched(to); n == most && n > 0 {
		reason = "match"
	} else if most > 0 {
		reason = "relieved"
	}
	l.known.send(to)
	return to, reason
}
