package replay

import (
	"warmroute/hostsim/internal/router"
	"warmroute/hostsim/internal/vllm"
)

// inform gives a gateway's engine what it takes of what is no request and on no page: replicas' KV events and their speed.
func (r *run) inform(g router.Engine) {
	if h, may := g.(router.Hearer); may {
		r.heard = h.Hear(r.Profile.BlockSize, r.cached)
	}
	if c, may := g.(router.Calibrated); may {
		c.Calibrate(r.promptRate())
	}
}

// cached is what the events of the server at an address have told by now; of its ranks, the one that holds most.
func (r *run) cached(address string, blocks []uint64) (held, inHost int) {
	first, known := r.byName[address]
	if !known || !r.there[first] {
		return 0, 0
	}
	for _, e := range r.engines(first) {
		h := e.Cached(blocks)
		if i := e.InHost(blocks[h:]); h+i > held+inHost {
			held, inHost = h, i
		}
	}
	return held, inHost
}

// promptRate is how many tokens a second replicas compute of a prompt that fills one step: the mean over both kinds of cards.
func (r *run) promptRate() float64 {
	first, last := r.profileOf(0), r.profileOf(r.Replicas-1)
	return (rate(&first) + rate(&last)) / 2
}

func rate(p *vllm.Profile) float64 {
	return float64(p.MaxNumBatchedTokens) / (float64(p.PrefillTime(0, p.MaxNumBatchedTokens)) / 1e9)
}

// promptBlocks are the hashes of a request's full blocks, without those of its answer.
func (r *run) promptBlocks(work *vllm.Request) []uint64 {
	blocks := r.Profile.Blocks(fullBlocks(work, r.Profile.BlockSize))
	return blocks[:min(len(blocks), work.PromptTokens/r.Profile.BlockSize)]
}
