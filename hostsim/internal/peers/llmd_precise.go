package peers

import (
	"math/rand/v2"
	"slices"

	"warmroute/hostsim/internal/vllm"
)

const aboutLLMDPrecise = "llm-d's router with KV events, as the guide \"Precise Prefix Cache Routing\" sets it up: the highest sum of 3 × the share of the prompt's blocks that a replica holds, 2 × (longest queue − queue) ÷ (longest − shortest), " +
	"2 × free share of the KV cache and 2 × how long ago it got a prompt of which no replica held a block (ranks from 1, the longest ago or never, to 0; .5 for all where one holds a block), ties at random. " +
	"What was sent counts as held for 2 s (speculativeIndexing). Read: the guide with its values, and the READMEs of the plugins precise-prefix-cache-producer, prefix-cache-scorer, queue-scorer, kv-cache-utilization-scorer and no-hit-lru-scorer, of 2026. " +
	"Events are taken to come at once, and prompts to be tokenized as the replicas do; host memory is not counted, as its scorer does not. Queue and cache use are read every 50 ms."

// llmdPrecise adds up scores from 0 to 1.
type llmdPrecise struct {
	llmdPages
	heard
	rng   *rand.Rand
	now   int64
	sent  [][]speculated // by replica: the prompts that count as held, the first that was sent first
	cold  []int64        // by replica: when it got a prompt that none held, counted; 0: never
	colds int64
}

// speculated is a prompt whose blocks count as held until a time, ns.
type speculated struct {
	blocks []uint64
	until  int64
}

const (
	llmdCold        = 2.0
	llmdSpeculative = 2e9 // ns
)

func newLLMDPrecise(rng *rand.Rand) policy { return &llmdPrecise{rng: rng} }

func (l *llmdPrecise) join(string) {
	l.llmdPages.join()
	l.sent, l.cold = append(l.sent, nil), append(l.cold, 0)
}

func (l *llmdPrecise) leave(replica int) {
	l.llmdPages.leave(replica)
	l.sent, l.cold = slices.Delete(l.sent, replica, replica+1), slices.Delete(l.cold, replica, replica+1)
}

func (l *llmdPrecise) scraped(replica int, s vllm.Stats) { l.llmdPages.scraped(replica, s) }

func (l *llmdPrecise) advance(now int64) {
	l.now = now
	for i, sent := range l.sent {
		for len(sent) > 0 && sent[0].until <= now {
			sent = sent[1:]
		}
		l.sent[i] = sent
	}
}

// speculates is how many leading blocks of a prompt count as held at a replica, which holds n of them: hashes are chained, so that these
// are what it has in common with one prompt that was sent.
func (l *llmdPrecise) speculates(replica, n int, blocks []uint64) int {
	for _, sent := range l.sent[replica] {
		n = max(n, common(sent.blocks, blocks))
	}
	return n
}

func (l *llmdPrecise) pick(r *request) (int, string) {
	costs, matched := l.costs(), make([]int, len(l.sent))
	for i := range costs {
		n, _ := l.held(i, r.blocks)
		n = l.speculates(i, n, r.blocks)
		if matched[i] = n; n > 0 {
			costs[i] -= llmdPrefix * float64(n) / float64(len(r.blocks))
		}
	}
	most := slices.Max(matched)
	if n := len(costs); most == 0 && n > 1 {
		for i := range costs {
			costs[i] -= llmdCold * (1 - float64(l.later(i))/float64(n-1))
		}
	}
	to := least(costs, l.rng)
	if most == 0 {
		l.colds++
		l.cold[to] = l.colds
	}
	l.sent[to] = append(l.sent[to], speculated{r.blocks, l.now + llmdSpeculative})
	return to, reasonOf(matched[to], most)
}

// later is how many replicas got a prompt that none held longer ago than this one; of those that never did, the first counts as the
// longest ago.
func (l *llmdPrecise) later(replica int) (n int) {
	for i, at := range l.cold {
		if at < l.cold[replica] || at == l.cold[replica] && i < replica {
			n++
		}
	}
	return n
}
