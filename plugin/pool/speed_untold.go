package pool

import "warmroute/plugin/queue"

// vLLM does not tell cached tokens without --enable-prompt-tokens-details, and a stream has no usage at all unless its client asks for it. How
// fast such an endpoint is shows only a response of which it is sure, without its word, how much of the prompt was computed.

// surelyCached is the tokens of the prompt that its endpoint had cached, as far as it is sure; false: it is not. Of a prompt of which no part was
// sent to any endpoint before there are none, and of another one as many as are believed, if its endpoint surely has them still. Both hold only where
// the server was not there before this proxy. What an answer has left there behind them is not known.
func (p *Pool) surelyCached(f *Flight) (tokens int, sure bool) {
	switch {
	case p.Index == nil || f.Total == 0 || !p.seenWhole(f.endpoint):
		return 0, false
	case f.Matched == 0:
		return 0, f.known == 0
	}
	return int(f.Tokens - f.uncached), p.surelyHolds(f)
}

// surelyHolds says whether an LRU would still have what f's endpoint is believed to hold of its prompt if it held half as much, or half as long. Beside
// gateways that share nothing what it was given is not known.
func (p *Pool) surelyHolds(f *Flight) bool {
	if p.ends[f.endpoint].cache.tier.there {
		return false
	}
	sent := millis(f.sent)
	capacity, known := p.Index.Capacity(f.endpoint)
	return known && p.Company() == 0 && 2*p.Index.Held(f.endpoint) <= capacity || 2*(sent-f.touched) <= sent-p.Index.Oldest(f.endpoint, sent)
}

// learnFirst learns at the first token of a prompt, as learnUntold does, from an endpoint that has shown too little: usage comes with the end of an
// answer, which at a slow card may be half a minute later. Where that will tell what was cached, only a prompt that is new is learned from. How
// many tokens it has is known by other prompts, or will not be told.
func (p *Pool) learnFirst(f *Flight, now int64) {
	if !f.streams || f.apart || f.media || p.speeds.Knows(f.endpoint) || f.tells && (f.Matched > 0 || !p.tokens.Knows(f.model)) || !p.hasComputed(f) {
		return
	}
	cached, sure := p.surelyCached(f)
	if !sure {
		return
	}
	f.taught = true
	p.learnSpeed(f, Outcome{PromptTokens: int(f.whole / p.tokens.PerToken(f.model)), CachedTokens: cached}, now)
}

// learnUntold learns from a response that does not tell its cached tokens. One without any usage may be an error that a server has put into a
// stream, at once; and one of a tenant or with a salt may be cached for another. Both must have taken time.
func (p *Pool) learnUntold(f *Flight, o Outcome, now int64) {
	if f.taught {
		return
	}
	cached, sure := p.surelyCached(f)
	if !sure {
		return
	}
	if (o.PromptTokens < 1 || f.apart) && !p.hasComputed(f) || f.streams && p.isEarly(f) {
		return
	}
	if o.PromptTokens < 1 {
		if f.media {
			return
		}
		o.PromptTokens = int(f.Tokens)
	}
	o.CachedTokens = min(cached, o.PromptTokens)
	p.learnSpeed(f, o, now)
}

// earlyOf is how many such prompts of an endpoint the share of early ones is of.
const earlyOf = 32

// isEarly takes a prompt, and says whether its first token came too early for it to have been computed: its server has it from another gateway, by
// another name of its model, or from before it was forgotten here. A long one of these weighs as much as a hundred short ones. But where most of an
// endpoint's come early, it is as fast as that.
func (p *Pool) isEarly(f *Flight) bool {
	if !p.same(f) {
		return true
	}
	perToken, shown := p.speeds.AtLeast(f.endpoint)
	if !shown {
		return false
	}
	share, this := &p.ends[f.endpoint].early, 0.0
	if queue.Computed(f.first-f.begun-f.late, perToken) < f.uncached/unsure {
		this = 1
	}
	*share += (this - *share) / earlyOf
	return this > 0 && *share < 0.5
}
