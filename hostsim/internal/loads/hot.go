package loads

import (
	"math/rand/v2"

	"warmroute/hostsim/internal/trace"
)

// Hot is requests a second of which a share begins with one prompt of 4,000 tokens and the others with one of their own, each
// followed by about 100 tokens, answered by about so many: what sends all that share a prefix to one replica overloads it.
func Hot(requests int, rate, share float64, answer int) Load {
	const system, question = 4000, 100.0
	return func(d *Drawing) (*trace.Trace, error) {
		rng := rand.New(rand.NewPCG(d.Seed, 11))
		b := newBuilder()
		common, at := b.Conversation(system), 0.0
		for i := range requests {
			head := common
			if rng.Float64() >= share {
				head = b.Conversation(system)
			}
			tail := Spread(rng, question)
			blocks := append(b.prompt(head, system), trace.Span{First: b.Next, N: uint32((tail + BlockTokens - 1) / BlockTokens)})
			b.Next += blocks[len(blocks)-1].N
			b.Trace.Requests = append(b.Trace.Requests, trace.Request{
				At: int64(at * 1e9), Session: i, After: -1, Blocks: blocks, InputTokens: system + tail, OutputTokens: Spread(rng, float64(answer)),
			})
			at += rng.ExpFloat64() / rate
		}
		return b.done(requests), nil
	}
}
