package pool

import "slices"

// Served says that the response comes from another endpoint than the one the request was sent to, because the proxy has
// tried those before it in the order and they failed. Where the proxy has not tried before
// (upstream.request_attempt_count is 1) it goes its own ways: that is Moved.
func (p *Pool) Served(f *Flight, order []int, endpoint int, now int64) {
	if f.phase != waiting || endpoint == f.endpoint {
		return
	}
	p.Moved(f, endpoint, now)
	if !slices.Contains(order, endpoint) {
		return
	}
	for _, tried := range order {
		if tried == endpoint {
			return
		}
		p.judge(tried, now, Refused)
	}
}

// Moved says that the request is at another endpoint than the one it was sent to, and nothing of how that came.
func (p *Pool) Moved(f *Flight, endpoint int, now int64) {
	if f.phase != waiting || endpoint == f.endpoint {
		return
	}
	p.withdraw(f, now)
	if !f.streams {
		p.finishUnseen(f.endpoint, now, f.uncached, f.unseenTo, false)
	}
	p.release(f.endpoint)
	p.retract(f, now)
	p.Match(f)
	p.Expect(f, endpoint)
	p.Begin(f, endpoint, now)
	f.moved = true
}

// FirstToken says that the first part of the response's body has come.
func (p *Pool) FirstToken(f *Flight, now int64) {
	if f.phase != waiting {
		return
	}
	f.phase, f.first = running, now
	if f.streams {
		p.dequeue(f.endpoint, now, f.uncached)
		p.ends[f.endpoint].health.moved(now)
	}
}

// End ends the request, and learns from how it went: the endpoint's health and speed, what its cache held, and how long a
// token is.
func (p *Pool) End(f *Flight, now int64, o Outcome) {
	if f.phase == decided || f.phase == ended {
		return
	}
	p.withdraw(f, now)
	if !f.streams {
		p.finishUnseen(f.endpoint, now, f.uncached, f.unseenTo, o.Ending == Answered)
	}
	f.phase = ended
	p.release(f.endpoint)
	p.judge(f.endpoint, now, o.Ending)
	if o.Lost {
		p.retract(f, now)
		return
	}
	if o.Ending != Answered || !o.Usage || o.PromptTokens < 1 {
		return
	}
	if f.exact {
		p.tokens.learn(f.model, f.bytes, o.PromptTokens)
	}
	// Of prompts that are longer than what is inspected, the hit beyond is not foreseen: the response tells what was computed.
	more := float64(max(o.PromptTokens-o.CachedTokens, 0)) - f.uncached
	p.correctWork(f.endpoint, now, more)
	p.learnSpeed(f, o)
	p.correct(f, now, o)
}

// withdraw takes the request out of the endpoint's queue where it is still there.
func (p *Pool) withdraw(f *Flight, now int64) {
	if f.phase == waiting && f.streams {
		p.dequeue(f.endpoint, now, f.uncached)
	}
}

// retract takes back what Begin said, where the prompt was not computed: its blocks are in no cache, and of its tokens only
// those can have been work that there was time for. To believe otherwise is not harmless: the next response to such a prompt
// would show that the cache had let go of it, and so of all that is older.
func (p *Pool) retract(f *Flight, now int64) {
	if !p.ExternalIndex {
		p.RetractPrompt(f.endpoint, f.Chain.Hash[f.Matched:], f.begun)
	}
	seconds := float64(max(now-f.begun, 0)) / 1e9
	less := min(seconds/p.PerToken(f.endpoint)-f.uncached, 0)
	p.correctWork(f.endpoint, now, less*fade(seconds/(WorkSpan/1e9)))
}

// learnSpeed takes the time to the first token of a streamed response. Of a request that moved, nobody knows when it came
// to its endpoint.
func (p *Pool) learnSpeed(f *Flight, o Outcome) {
	if !f.streams || f.first == 0 || f.moved {
		return
	}
	first := o.TTFT
	if first <= 0 {
		first = f.first - f.begun
	}
	computed := float64(max(o.PromptTokens-o.CachedTokens, 1))
	p.learn(f.endpoint, f.ahead+computed, float64(first)/1e9)
}
