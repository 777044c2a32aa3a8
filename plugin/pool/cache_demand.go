package pool

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
func (p *Pool) Demand(f *Flight, now int64) []Held {
	p.held = p.held[:0]
	holders := 0
	for k := len(p.levels) - 1; k >= 0 && len(p.held) < mostHeld; k-- {
		l := p.levels[k]
		holders += int(l.Holders)
		hash := f.Chain.Hash[l.Blocks-1]
		share, lately := p.demand.Of(hash, now)
		p.held = append(p.held, Held{l.Blocks, holders, share, lately})
		p.demand.Add(hash, now)
	}
	p.demand.AddPrompt(now)
	return p.held
}
