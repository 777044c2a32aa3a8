package pool

import (
	"slices"

	"warmroute/plugin/health"
	"warmroute/plugin/recent"
)

// Served records that the response comes from another endpoint than the one the request was sent to, because the endpoints
// before it in the order were tried and failed. If the proxy made one attempt only (upstream.request_attempt_count is 1),
// it chose the endpoint itself: that is Moved. If the response is an error as well, the tries before it prove nothing: the
// request may be the cause. client is its client's address, hashed; 0: not known.
func (p *Pool) Served(f *Flight, order []int, endpoint int, good bool, client uint64, now int64) {
	if f.phase != waiting || endpoint == f.endpoint {
		return
	}
	p.Moved(f, endpoint, now)
	if !good || !slices.Contains(order, endpoint) {
		return
	}
	for _, at := range order {
		if at == endpoint {
			return
		}
		p.judge(at, now, health.Tried, f.blame(client))
	}
}

// Moved records that the request is at another endpoint than the one it was sent to, for any reason.
func (p *Pool) Moved(f *Flight, endpoint int, now int64) {
	if f.phase != waiting || endpoint == f.endpoint {
		return
	}
	p.Resume(f, now)
	p.waits(f, -1)
	p.withdraw(f, now)
	p.leaveMemory(f)
	if !f.streams {
		p.finishUnseen(f, now, false)
	}
	p.release(f.endpoint)
	p.observe(f.endpoint, now)
	p.unread(f)
	p.Health.Left(f.endpoint, f.sent)
	p.retract(f, now, 0, 0)
	p.Match(f)
	p.Expect(f, endpoint)
	p.Begin(f, endpoint, now)
	f.moved, f.drawn = true, false
}

// FirstToken records that the first part of the response's body has come.
func (p *Pool) FirstToken(f *Flight, now int64) {
	if f.phase != waiting {
		return
	}
	p.Resume(f, now)
	if f.streams {
		p.takeMemory(f)
		p.withdraw(f, now)
	}
	if change := p.Health.FirstToken(f.endpoint, now); change != health.None {
		p.changed(f.endpoint, change, now)
	}
	p.waits(f, -1)
	f.phase, f.first = running, now
	if f.deferred {
		f.deferred = false
		p.enter(f, now)
	}
	p.beginPace(f, now)
	p.learnFirst(f, now)
}

// blame names the client that sent the request.
func (f *Flight) blame(client uint64) health.Blame {
	if len(f.Chain.Hash) == 0 {
		return health.Blame{Client: client}
	}
	return health.Blame{Prompt: f.Chain.Hash[len(f.Chain.Hash)-1], Client: client}
}

// End ends the request and learns from it: the endpoint's health and speed, what its cache holds, and the bytes of a token.
func (p *Pool) End(f *Flight, now int64, o Outcome) {
	if f.phase == decided || f.phase == ended {
		return
	}
	p.Resume(f, now)
	p.withdraw(f, now)
	p.leaveMemory(f)
	if !f.streams {
		p.finishUnseen(f, now, o.Ending == health.Answered)
	}
	if f.phase == waiting {
		p.waits(f, -1)
	}
	f.phase = ended
	p.release(f.endpoint)
	p.observe(f.endpoint, now)
	p.unread(f)
	if o.Ending == health.Cancelled {
		p.Health.Left(f.endpoint, f.sent)
	}
	p.judge(f.endpoint, now, o.Ending, f.blame(o.Client))
	if o.Ending == health.Answered || o.Ending == health.Broken || o.Lost && o.Ending.Denies() {
		o.Lost = p.noteYield(f, now, &o)
	}
	if o.Lost {
		if o.Unfit && f.exact {
			p.tokens.Refuse(f.model, f.bytes)
		}
		if o.Ending != health.Cancelled || !p.hadTime(f, now, f.uncached) {
			p.Unreturn(f)
		}
		keeps := 0.0
		if o.Ending.Denies() || o.Denied {
			keeps = p.usualWork(now) // one that says no at once would seem idle, and get all requests
		}
		begun := 0
		if o.HungUp {
			begun = p.begunBy(f, now)
		}
		p.retract(f, now, keeps, begun)
		return
	}
	p.learnEnd(f, now, o)
	p.free(f, now)
}

// learnEnd learns from a request that was not lost.
func (p *Pool) learnEnd(f *Flight, now int64, o Outcome) {
	o.atMost(f.most())
	if p.hasComputed(f) {
		p.tokens.Computes(f.model, f.bytes)
	}
	if o.Ending != health.Answered {
		return
	}
	if f.exact && !f.atypical && o.PromptTokens > 0 {
		p.tokens.Learn(f.model, f.bytes, min(o.PromptTokens, f.usually()), f.media)
	}
	if o.OutputTokens > 0 && !f.atypical { // of several choices it is the sum
		p.Answers.Add(o.OutputTokens)
	}
	if !p.same(f) { // what follows would be learned of the endpoint that has its index since
		return
	}
	if !o.Leapt {
		p.learnPace(f, now, &o)
		p.learnResidence(f, now, &o)
	}
	p.noteLost(f, now, &o)
	p.expectHits(f)
	if !o.Usage || o.PromptTokens < 1 {
		p.learnUntold(f, o, now)
		return
	}
	p.contradict(f, now)
	p.learnRepeats(f, &o)
	// If the end of a prompt was not read, its hit was not expected; the response shows what was computed.
	p.correctWork(f, now, p.computed(f, &o)-f.uncached)
	if !f.taught {
		p.learnSpeed(f, o, now)
	}
	p.correct(f, now, o)
}

// computed is the tokens of the prompt that were computed. Where no other gateway sends the same conversations, those are at least what is behind
// the blocks that were sent somewhere before, and the next ones, which may begin like others; whatever the usage says: a server that says of each
// prompt that all of it was cached, or that it is a few tokens long, would seem to have hardly anything to do, and get most of what is new.
func (p *Pool) computed(f *Flight, o *Outcome) float64 {
	computed := float64(max(o.PromptTokens-o.CachedTokens, 0))
	if f.Total == 0 || f.atypical || f.media || p.Company() > 0 {
		return computed
	}
	return max(computed, (1-f.share(f.known+foreignBlocks))*max(float64(o.PromptTokens), f.Tokens/unsure))
}

// share is the part of the prompt in so many leading blocks, 0 to 1; what is behind its last whole block is in that.
func (f *Flight) share(blocks int) float64 {
	if blocks >= f.Total {
		return 1
	}
	return float64(f.Chain.Covered(blocks)) / float64(max(f.bytes, 1))
}

// atMost takes off what is said of the prompt beyond so many tokens, as if it were cached.
func (o *Outcome) atMost(tokens int) {
	if over := o.PromptTokens - tokens; over > 0 {
		o.PromptTokens, o.CachedTokens = tokens, max(o.CachedTokens-over, 0)
	}
}

// most is the most tokens that the prompt can have: one for each byte, and those of a chat template. What a replica says beyond that is
// not believed, for work and speed are compared with those of the others; or it is a beginning that the server keeps
// (previous_response_id), which is cached.
func (f *Flight) most() int {
	most := f.bytes + templateTokens
	if f.media || !f.exact {
		most = max(most, mostTokens)
	}
	return most
}

// usually is the most tokens that count of those that are said of the prompt, where they change what is known of tokens and speeds: twice as many as
// it is taken to have, and a chat template's. A server that says of each prompt that it has as many as bytes would seem several times as fast as it
// is, and make all prompts seem long.
//
//go:noinline
func (f *Flight) usually() int {
	if f.media {
		return mostTokens
	}
	return int(2*f.Tokens) + usualTemplate
}

// usualTemplate is the tokens of most chat templates, at most.
const usualTemplate = 512

// withdraw takes the request out of the endpoint's queue, if it is still there. That of another endpoint, which has its index since, has
// nothing of it.
func (p *Pool) withdraw(f *Flight, now int64) {
	if f.phase != waiting || !f.streams {
		return
	}
	if p.unwatch(f); p.same(f) {
		p.dequeue(f.endpoint, now, f.uncached)
	}
}

// retract undoes Begin for a prompt that was not computed: its blocks are in no cache but for the first that were begun, and only as many of its
// tokens count as work as there was time for. Otherwise the next response to such a prompt would seem to show that the cache had evicted
// it, and with it everything older. keeps is how many tokens count at least, if it has so many.
func (p *Pool) retract(f *Flight, now int64, keeps float64, begun int) {
	p.lose(f, begun)
	seconds := float64(max(now-f.begun, 0)) / 1e9
	less := min(max(seconds/p.PerToken(f.endpoint), keeps)-f.uncached, 0)
	p.correctWork(f, now, less*recent.Weight(seconds/(recent.Span/1e9)))
}
