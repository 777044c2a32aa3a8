package peers

import (
	"bytes"
	"math/rand/v2"
	"slices"

	"github.com/cespare/xxhash/v2"

	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
	"warmroute/plugin/prompt"
)

const aboutHigress = "Higress, plugin ai-endpoint-picker, a module in its Envoy: the highest sum of 3 × (.75 × matched share of the prompt + .25 × min(1, matched tokens ÷ 8,192)²), 2 × (longest queue − queue) ÷ (longest − shortest), 2 × free share of the KV cache, " +
	"and the same of the requests in flight, once, ties at random. Of a prompt it sees 32 blocks: each message is cut into blocks of at most 1,024 tokens, and of the tools their names count. A replica is taken to hold the blocks that were sent there last, as many as its memory has room for, 31,250 of the replica's at most. " +
	"Read: the plugin's README of 2026 with its defaults, and pull requests 4352 and 4608. Tokens are estimated as four characters. Its view is a worker's own, and metrics come with Envoy's health checks, whose pace is not given; here all workers have one view, and metrics are read every 250 ms, as often as it looks at them."

// higress adds up scores from 0 to 1.
type higress struct {
	llmdPages
	sent      []*weighted
	blockSize int // tokens, of the replicas
	rng       *rand.Rand
	chain     []segment
}

const (
	higressBlocks   = 32   // of a prompt
	higressBlock    = 1024 // tokens, at most
	higressTools    = 8192 // bytes of their names, at most
	higressLong     = 8192 // tokens whose match counts in full by its length
	higressCapacity = 31_250
	higressSize     = 16 // tokens of a replica's block, until it has said so
	higressPrefix   = 3.0
	higressShare    = 0.75
	higressInFlight = 1.0
	higressEvery    = 250e6 // ns
)

// segment is a block of a prompt, by its hash and that of all before it.
type segment struct {
	hash   uint64
	tokens int
}

func newHigress(rng *rand.Rand) policy { return &higress{blockSize: higressSize, rng: rng} }

func (h *higress) join(string) {
	h.llmdPages.join()
	h.sent = append(h.sent, newWeighted(higressCapacity))
}

func (h *higress) leave(replica int) {
	h.llmdPages.leave(replica)
	h.sent = slices.Delete(h.sent, replica, replica+1)
}

func (h *higress) scraped(replica int, s vllm.Stats) {
	h.llmdPages.scraped(replica, s)
	h.blockSize = s.BlockSize
	h.sent[replica].bound(min(s.Blocks, higressCapacity))
}

func (h *higress) scrapeEvery() int64 { return higressEvery }

func (h *higress) pick(r *request) (int, string) {
	h.read(r.prompt.Text)
	total := 0
	for _, s := range h.chain {
		total += s.tokens
	}
	low, high := slices.Min(r.inFlight), slices.Max(r.inFlight)
	costs, matched, most := h.costs(), make([]int, len(h.sent)), 0
	for i := range costs {
		matched[i] = h.sent[i].matched(h.chain)
		most = max(most, matched[i])
		long := min(float64(matched[i])/higressLong, 1)
		costs[i] -= higressPrefix * (higressShare*float64(matched[i])/float64(max(total, 1)) + (1-higressShare)*long*long)
		if high > low {
			costs[i] -= higressInFlight * float64(high-r.inFlight[i]) / float64(high-low)
		}
	}
	to := least(costs, h.rng)
	h.sent[to].send(h.chain, max(h.blockSize, 1))
	return to, reasonOf(matched[to], most)
}

// read sets the chain to a text's blocks: those of the tools' names, for which the beginning of their definitions stands here, and of each turn.
func (h *higress) read(text []byte) {
	h.chain = h.chain[:0]
	if at := bytes.IndexByte(text, prompt.FrameTurn); at > 0 {
		h.cut(text[:min(at, higressTools)])
		text = text[at:]
	}
	for len(text) > 0 && len(h.chain) < higressBlocks {
		end := bytes.IndexByte(text[1:], prompt.FrameTurn) + 1
		if end == 0 {
			end = len(text)
		}
		h.cut(text[:end])
		text = text[end:]
	}
}

// cut adds blocks of a segment to the chain, as many as it may have.
func (h *higress) cut(text []byte) {
	const most = higressBlock * trace.BytesPerToken
	for len(text) > 0 && len(h.chain) < higressBlocks {
		before, n := uint64(0), min(len(text), most)
		if len(h.chain) > 0 {
			before = h.chain[len(h.chain)-1].hash
		}
		h.chain = append(h.chain, segment{chained(before, xxhash.Sum64(text[:n])), trace.Tokens(n)})
		text = text[n:]
	}
}
