package peers

import (
	"math/rand/v2"
	"slices"

	"warmroute/hostsim/internal/vllm"
)

const aboutKthena = "Kthena's router (Volcano), as its chart sets it up: of the replicas with fewer than 10 requests waiting, or of all if there is none, the highest sum of four scores from 0 to 100, rounded down: matched share of the prompt; (most − load) ÷ most, the load being running + 100 × waiting requests; free share of the KV cache; " +
	"and the mean of (longest − its own) ÷ (longest − shortest) of the time to the first token and the time per token of the last second, 100 where none is known; ties at random. Of a prompt 128 blocks of 64 characters are matched, of which a replica is taken to have the 50,000 that were sent there last; five replicas at most have a match. " +
	"Read: the chart's ConfigMap and the comments of the plugins prefix-cache, least-request, least-latency and gpu-usage, of 2026. Metrics are read every second. The time to the first token is that of this gateway's requests; the time per token is that for which requests ran ÷ tokens, as the metrics say."

// kthena adds up scores from 0 to 100.
type kthena struct {
	*known
	rng   *rand.Rand
	now   int64
	pages []kthenaPage
}

// kthenaPage is what is known of a replica.
type kthenaPage struct {
	waiting, running int
	usage            float64
	generated        int64   // tokens
	firsts           float64 // s until first tokens since the last page, summed
	count            int     // of these
	ttft, perToken   float64 // s; 0: not known
}

const (
	kthenaBlock      = 64
	kthenaBlocks     = 128
	kthenaCapacity   = 50_000
	kthenaMatches    = 5
	kthenaWaiting    = 10  // requests at a replica that gets no more
	kthenaWaitWeight = 100 // running requests for which a waiting one counts
	kthenaEvery      = 1e9 // ns
)

func newKthena(rng *rand.Rand) policy {
	return &kthena{known: &known{size: kthenaBlock, capacity: kthenaCapacity}, rng: rng}
}

func (k *kthena) join(address string) {
	k.known.join(address)
	k.pages = append(k.pages, kthenaPage{})
}

func (k *kthena) leave(replica int) {
	k.known.leave(replica)
	k.pages = slices.Delete(k.pages, replica, replica+1)
}

func (k *kthena) advance(now int64) { k.now = now }

func (k *kthena) scrapeEvery() int64 { return kthenaEvery }

func (k *kthena) scraped(replica int, s vllm.Stats) {
	p := &k.pages[replica]
	if p.count > 0 {
		p.ttft = p.firsts / float64(p.count)
	}
	if tokens := s.GeneratedTokens - p.generated; tokens > 0 && s.Running > 0 {
		p.perToken = float64(s.Running) * kthenaEvery / 1e9 / float64(tokens)
	}
	*p = kthenaPage{waiting: s.Waiting, running: s.Running, usage: s.Usage(), generated: s.GeneratedTokens, ttft: p.ttft, perToken: p.perToken}
}

func (k *kthena) first(replica int, r *request) {
	p := &k.pages[replica]
	p.firsts += float64(k.now-r.sent) / 1e9
	p.count++
}

func (k *kthena) end(int, *request) {}

func (k *kthena) pick(r *request) (int, string) {
	r.sent = k.now
	blocks := k.known.read(r.prompt, kthenaBlocks)
	matched := k.matches()
	costs := make([]int, len(k.pages))
	k.addLoad(costs)
	k.addLatency(costs)
	for i := range costs {
		costs[i] -= 100 * matched[i] / max(blocks, 1)
	}
	to := k.least(costs)
	k.known.send(to)
	return to, reasonOf(matched[to], slices.Max(matched))
}

// matches are the blocks that replicas were sent, of those five that were sent most.
func (k *kthena) matches() []int {
	matched := make([]int, len(k.pages))
	for i := range matched {
		matched[i] = k.known.matched(i)
	}
	if len(matched) > kthenaMatches {
		sorted := slices.Sorted(slices.Values(matched))
		for i := range matched {
			if matched[i] < sorted[len(sorted)-kthenaMatches] {
				matched[i] = 0
			}
		}
	}
	return matched
}

// addLoad adds the scores of requests and of memory, less than 0.
func (k *kthena) addLoad(costs []int) {
	load := func(p *kthenaPage) int { return p.running + kthenaWaitWeight*p.waiting }
	most := 0
	for i := range k.pages {
		most = max(most, load(&k.pages[i]))
	}
	for i := range k.pages {
		p := &k.pages[i]
		score := 100
		if most > 0 {
			score = 100 * (most - load(p)) / most
		}
		costs[i] -= score + int(100*(1-p.usage))
	}
}

// addLatency adds the score of times, less than 0.
func (k *kthena) addLatency(costs []int) {
	shown := func(p *kthenaPage) bool { return p.ttft > 0 && p.perToken > 0 }
	var low, high kthenaPage
	for i := range k.pages {
		p := &k.pages[i]
		if !shown(p) {
			continue
		}
		if !shown(&low) {
			low, high = *p, *p
		}
		low.ttft, high.ttft = min(low.ttft, p.ttft), max(high.ttft, p.ttft)
		low.perToken, high.perToken = min(low.perToken, p.perToken), max(high.perToken, p.perToken)
	}
	for i := range k.pages {
		score := 100.0
		if p := &k.pages[i]; shown(p) {
			score = (kthenaScore(p.ttft, low.ttft, high.ttft) + kthenaScore(p.perToken, low.perToken, high.perToken)) / 2
		}
		costs[i] -= int(score)
	}
}

// kthenaScore is 100 for the least, and 0 for the most.
func kthenaScore(value, low, high float64) float64 {
	if high == low {
		return 100
	}
	return 100 * (high - value) / (high - low)
}

// least is the cheapest replica of those where few wait, drawn among equals.
func (k *kthena) least(costs []int) int {
	if to := leastOf(costs, k.rng, func(i int) bool { return k.pages[i].waiting < kthenaWaiting }); to >= 0 {
		return to
	}
	return least(costs, k.rng)
}
