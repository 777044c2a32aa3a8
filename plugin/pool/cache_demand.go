package pool

import "math"

// Held is a beginning of a prompt that endpoints hold.
type Held struct {
	Blocks  int32   // leading ones
	Holders int     // endpoints that hold at least so many
	Share   float64 // of recent prompts that begin so, 0 to 1, less one standard error
	Lately  float64 // prompts of this worker that began so within some ten seconds, likewise
}

// mostHeld bounds the beginnings of a prompt that are told apart: endpoints hold a system prompt, or that and a conversation.
const mostHeld = 4

// Demand is the beginnings of f's prompt that endpoints hold, the longest first, at most mostHeld, and how often prompts began
// so before; it counts this one. It follows Match, is to be called once for a request, and is valid until the next call.
//
// What other conversations begin with, too (Shared), is asked for by each of them. What is longer may be one conversation's alone, or that of one client which asks
// again and again, one prompt after the other: a partial transcript, the next field of a form. They never wait for each other, so that one
// endpoint is enough for them. So of what is longer those prompts count that came while another waited. Where endpoints share a processor
// prompts wait for others at other endpoints, too, and all count.
func (p *Pool) Demand(f *Flight, now int64) []Held {
	p.held = p.held[:0]
	holders, shared := 0, p.Shared()
	if p.Together() > 0 {
		shared = math.MaxInt
	}
	for k := len(p.levels) - 1; k >= 0 && len(p.held) < mostHeld; k-- {
		l := p.levels[k]
		holders += int(l.Holders)
		hash := f.Chain.Hash[l.Blocks-1]
		share, lately := p.demand.Of(hash, int(l.Blocks) > shared, now)
		p.held = append(p.held, Held{l.Blocks, holders, share, lately})
		p.demand.Add(hash, f.Tokens, now)
		f.begins[len(p.held)-1] = hash
	}
	clear(f.begins[len(p.held):])
	p.demand.AddPrompt(now)
	return p.held
}

// waits counts f's beginnings, as of Demand, as those of one more prompt that waits for its first token, or of −1. Its chain may be another one by
// then (Extend).
func (p *Pool) waits(f *Flight, more int32) {
	for _, hash := range f.begins {
		if hash != 0 {
			p.demand.Waits(hash, more)
		}
	}
}

// Of prompts that begin with one text, its part from which they are about that text; and how many times an endpoint's share of all prompts may
// begin so. Both are judged (docs/rule.md).
const (
	mostly   = 0.7
	together = 2
)

// Meets is the leading blocks behind which the block stands by which gateways that share nothing find one place for f's prompt, where so many
// endpoints share the load. Of a conversation it is the first that is its own: Shared. But prompts that are mostly one text, such as a document that is asked
// about, find it by the text: else each of its conversations would have it computed at another endpoint. That takes that few enough begin so
// for one endpoint, and that no more than half of all endpoints hold the text already. It follows Demand; what that has not counted, of very many
// beginnings that endpoints hold the shortest, is no text.
func (p *Pool) Meets(f *Flight, endpoints int, now int64) int {
	shared, before, holders := p.Shared(), 0, 0
	for k := range p.levels {
		holders += int(p.levels[k].Holders)
	}
	for k := 0; k < len(p.levels) && int(p.levels[k].Blocks) <= shared; k++ {
		blocks := int(p.levels[k].Blocks)
		share, tokens := p.demand.Mean(f.Chain.Hash[blocks-1], now)
		if share > 0 && share*float64(endpoints) <= together && holders*2 <= p.Size() && f.tokensOf(blocks) >= mostly*tokens {
			return before
		}
		holders -= int(p.levels[k].Holders)
		before = blocks
	}
	return shared
}

// tokensOf is the tokens of the prompt's leading blocks.
func (f *Flight) tokensOf(blocks int) float64 { return float64(f.Chain.Covered(blocks)) / f.perToken }
