package study

import (
	"math/rand/v2"

	"warmroute/hostsim/internal/trace"
)

// hot is requests a second of which a share begins with one prompt of 4,000 tokens and the others with one of their own, each
// followed by about 100 tokens, answered by about so many: what sends all that share a prefix to one replica overloads it.
func hot(requests int, rate, share float64, answer int) load {
	const system, question = 4000, 100.0
	return func(d *drawing) (*trace.Trace, error) {
		rng := rand.New(rand.NewPCG(d.seed, 11))
		b := newBuilder()
		common, at := b.conversation(system), 0.0
		for i := range requests {
			head := common
			if rng.Float64() >= share {
				head = b.conversation(system)
			}
			tail := spread(rng, question)
			blocks := append(b.prompt(head, system), trace.Span{First: b.next, N: uint32((tail + kubeBlock - 1) / kubeBlock)})
			b.next += blocks[len(blocks)-1].N
			b.t.Requests = append(b.t.Requests, trace.Request{
				At: int64(at * 1e9), Session: i, After: -1, Blocks: blocks, InputTokens: system + tail, OutputTokens: spread(rng, float64(answer)),
			})
			at += rng.ExpFloat64() / rate
		}
		return b.done(requests), nil
	}
}
