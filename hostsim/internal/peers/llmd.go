package peers

import (
	"math/rand/v2"
	"slices"

	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
)

const aboutLLMD = "llm-d's router (the endpoint picker of the Gateway API Inference Extension) with the approximate prefix scorer: the highest sum of 3 × matched share of the prompt, 2 × (longest queue − queue) ÷ (longest − shortest) " +
	"and 2 × free share of the KV cache, ties at random. At most 131,072 tokens of a prompt are matched (256 blocks in 0.8), in blocks as long as the replicas' own, 64 tokens at least, of which a replica is taken to hold as many as it has (autoTune). " +
	"Read: the router's approximateprefix plugin with its README as of 2026, \"Prefix-Cache Aware Routing\" and \"Request Scheduler\" of llm-d 0.8, the extension's prefix plugin guide, and Red Hat's and " +
	"GPUStack's pages for the weights of the default profile. Queue and cache use are read from the replicas every 50 ms; tokens are estimated as four characters. " +
	"Later profiles are llmd_sticky and llmd_precise."

// llmd adds up scores from 0 to 1.
type llmd struct {
	llmdSent
	llmdPages
	rng *rand.Rand
}

const (
	llmdBlock       = 64      // tokens, at least
	llmdMost        = 131_072 // tokens
	llmdCapacity    = 31_250  // blocks, until a replica has said how many it has
	llmdPrefix      = 3.0
	llmdQueue       = 2.0
	llmdUtilization = 2.0
)

func newLLMD(rng *rand.Rand) policy { return &llmd{llmdSent: newLLMDSent(), rng: rng} }

func (l *llmd) join(address string) {
	l.llmdSent.join(address)
	l.llmdPages.join()
}

func (l *llmd) leave(replica int) {
	l.llmdSent.leave(replica)
	l.llmdPages.leave(replica)
}

func (l *llmd) scraped(replica int, s vllm.Stats) {
	l.llmdSent.scraped(s)
	l.llmdPages.scraped(replica, s)
}

func (l *llmd) pick(r *request) (int, string) {
	blocks, most := l.read(r.prompt), 0
	costs := l.costs()
	for i := range costs {
		n := l.matched(i)
		most = max(most, n)
		if blocks > 0 {
			costs[i] -= llmdPrefix * float64(n) / float64(blocks)
		}
	}
	to := least(costs, l.rng)
	reason := reasonOf(l.matched(to), most)
	l.send(to)
	return to, reason
}

// llmdSent is the approximate prefix producer: what was sent where.
type llmdSent struct{ *known }

func newLLMDSent() llmdSent {
	return llmdSent{&known{size: llmdBlock * trace.BytesPerToken, capacity: llmdCapacity}}
}

func (l llmdSent) read(p *shown) int {
	return l.known.read(p, llmdMost*trace.BytesPerToken/l.size)
}

func (l llmdSent) scraped(s vllm.Stats) {
	l.size, l.capacity = max(s.BlockSize, llmdBlock)*trace.BytesPerToken, s.Blocks
}

// llmdPages is what the replicas' metrics say.
type llmdPages struct {
	waiting []int
	usage   []float64
}

func (l *llmdPages) join() { l.waiting, l.usage = append(l.waiting, 0), append(l.usage, 0) }

func (l *llmdPages) leave(replica int) {
	l.waiting, l.usage = slices.Delete(l.waiting, replica, replica+1), slices.Delete(l.usage, replica, replica+1)
}

func (l *llmdPages) scraped(replica int, s vllm.Stats) {
	l.waiting[replica], l.usage[replica] = s.Waiting, float64(s.UsedBlocks)/float64(s.Blocks)
}

// costs are the scores of queues and memory, less than 0 where they are good.
func (l *llmdPages) costs() []float64 {
	low, high := slices.Min(l.waiting), slices.Max(l.waiting)
	costs := make([]float64, len(l.waiting))
	for i := range costs {
		queue := 1.0
		if high > low {
			queue = float64(high-l.waiting[i]) / float64(high-low)
		}
		costs[i] = -llmdQueue*queue - llmdUtilization*(1-l.usage[i])
	}
	return costs
}
