package loads

import (
	"math"
	"math/rand/v2"

	"warmroute/hostsim/internal/trace"
)

// BlockTokens is the tokens of a block of the loads made here: vLLM's.
const BlockTokens = 16

// Builder makes prompts of block ids that extend one another, as a conversation's do.
type Builder struct {
	Trace *trace.Trace
	Next  uint32 // block id that no prompt has yet
}

func newBuilder() *Builder { return &Builder{Trace: &trace.Trace{BlockSize: BlockTokens}} }

// Conversation is one text that grows: its full blocks have ids that follow each other.
type Conversation struct{ First uint32 }

// Conversation begins a text that grows to that many tokens at most.
func (b *Builder) Conversation(maxTokens int) Conversation {
	c := Conversation{b.Next}
	b.Next += uint32(maxTokens/BlockTokens + 1)
	return c
}

// prompt is a conversation's first tokens; what does not fill a block is a block of this prompt alone.
func (b *Builder) prompt(c Conversation, tokens int) trace.Blocks {
	var out trace.Blocks
	if n := tokens / BlockTokens; n > 0 {
		out = append(out, trace.Span{First: c.First, N: uint32(n)})
	}
	if tokens%BlockTokens > 0 {
		out = append(out, trace.Span{First: b.Next, N: 1})
		b.Next++
	}
	return out
}

// done is the trace that was built, of so many sessions.
func (b *Builder) done(sessions int) *trace.Trace {
	b.Trace.Sessions, b.Trace.IDs = sessions, int(b.Next)
	return b.Trace
}

// Spread draws a length in tokens of that mean, log-normally with a deviation of 0.8 in the logarithm, at least 1.
func Spread(rng *rand.Rand, mean float64) int {
	const sigma = 0.8
	return max(1, int(mean*math.Exp(sigma*rng.NormFloat64()-sigma*sigma/2)))
}
