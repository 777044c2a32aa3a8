package study

import (
	"math"
	"math/rand/v2"

	"warmroute/hostsim/internal/trace"
)

// kubeBlock is the tokens of a block of the loads made here: vLLM's.
const kubeBlock = 16

// builder makes prompts of block ids that extend one another, as a conversation's do.
type builder struct {
	t    *trace.Trace
	next uint32
}

func newBuilder() *builder { return &builder{t: &trace.Trace{BlockSize: kubeBlock}} }

// conversation is one text that grows: its full blocks have ids that follow each other.
type conversation struct{ first uint32 }

func (b *builder) conversation(maxTokens int) conversation {
	c := conversation{b.next}
	b.next += uint32(maxTokens/kubeBlock + 1)
	return c
}

// prompt is a conversation's first tokens; what does not fill a block is a block of this prompt alone.
func (b *builder) prompt(c conversation, tokens int) trace.Blocks {
	var out trace.Blocks
	if n := tokens / kubeBlock; n > 0 {
		out = append(out, trace.Span{First: c.first, N: uint32(n)})
	}
	if tokens%kubeBlock > 0 {
		out = append(out, trace.Span{First: b.next, N: 1})
		b.next++
	}
	return out
}

func (b *builder) done(sessions int) *trace.Trace {
	b.t.Sessions, b.t.IDs = sessions, int(b.next)
	return b.t
}

// spread draws a length of that mean, log-normally with a deviation of 0.8 in the logarithm, at least 1.
func spread(rng *rand.Rand, mean float64) int {
	const sigma = 0.8
	return max(1, int(mean*math.Exp(sigma*rng.NormFloat64()-sigma*sigma/2)))
}
