package route

import "warmroute/plugin/load"

// Outcome is how a request ended, as far as it is known. Numbers that are not known are 0.
type Outcome struct {
	Ending load.Ending
	Lost   bool // no part of an answer to the prompt has come: it was refused, or the client left before

	Usage        bool // the next two are known
	PromptTokens int  // usage.prompt_tokens
	CachedTokens int  // usage.prompt_tokens_details.cached_tokens
	OutputTokens int  // usage.completion_tokens, or the parts of a streamed answer

	TTFT int64 // nanoseconds from Begin to the first part of a streamed answer; 0: as FirstToken told
}

// EndingOf is the ending that an answer's status tells: 5xx is a failure of the endpoint, all others are answers. A
// proxy's own 502, 503 and 504 (no connection, no answer in time) come to the same.
func EndingOf(status int) load.Ending {
	switch {
	case status == 504:
		return load.TimedOut
	case status == 502 || status == 503:
		return load.Refused
	case status >= 500:
		return load.Failed
	}
	return load.Answered
}

// Begin says that the request goes to the decision's first endpoint: it is counted there, and its prompt will be in
// that endpoint's cache.
func (r *Router) Begin(d *Decision, now int64) { r.begin(d, d.Order[0], now) }

func (r *Router) begin(d *Decision, endpoint int, now int64) {
	d.endpoint, d.begun, d.first, d.phase = endpoint, now, 0, waiting
	d.ahead = r.queue(endpoint, now)
	d.tokens = max(d.promptTokens-d.held(d.Matched), 1)
	r.Load.Begin(endpoint, now, d.tokens, d.streams)
	r.long.give(endpoint, d.tokens)
	if r.Index != nil {
		r.Index.Insert(endpoint, &d.Chain, millis(now))
	}
}

// Endpoint is where the request is counted, after Begin.
func (d *Decision) Endpoint() int { return d.endpoint }

// Given is the blocks that the endpoint did not hold before the request, and when it was sent there.
func (d *Decision) Given() (blocks []uint64, at int64) { return d.Chain.Hash[d.Matched:], d.begun }

// Served says that the answer comes from another endpoint than the one the request was sent to, because the proxy has
// tried those before it in the order and they failed. Where the proxy has not tried before
// (upstream.request_attempt_count is 1) it goes its own ways: that is Moved.
func (r *Router) Served(d *Decision, endpoint int, now int64) {
	if d.phase != waiting || endpoint == d.endpoint {
		return
	}
	r.Moved(d, endpoint, now)
	if !contains(d.Order, endpoint) {
		return
	}
	for _, tried := range d.Order {
		if tried == endpoint {
			return
		}
		r.judge(tried, now, load.Refused)
	}
}

// Moved says that the request is at another endpoint than the one it was sent to, and nothing of how that came.
func (r *Router) Moved(d *Decision, endpoint int, now int64) {
	if d.phase != waiting || endpoint == d.endpoint {
		return
	}
	r.withdraw(d, now)
	r.Load.Release(d.endpoint)
	r.lose(d, now)
	if r.Index != nil {
		r.Index.Match(d.Chain.Hash, r.depth)
	}
	d.Matched = 0
	r.believe(d, endpoint)
	r.begin(d, endpoint, now)
	d.moved = true
}

// FirstToken says that the first part of the answer's body has come.
func (r *Router) FirstToken(d *Decision, now int64) {
	if d.phase != waiting {
		return
	}
	d.phase, d.first = running, now
	if d.streams {
		r.Load.FirstToken(d.endpoint, now, d.tokens)
	}
}

// Answered ends the request, and learns from how it went: the endpoint's health and speed, what its cache held, and
// how long a token is.
func (r *Router) Answered(d *Decision, now int64, o Outcome) {
	if d.phase == decided || d.phase == ended {
		return
	}
	r.withdraw(d, now)
	d.phase = ended
	r.Load.Release(d.endpoint)
	r.judge(d.endpoint, now, o.Ending)
	if o.Lost {
		r.lose(d, now)
		return
	}
	if o.Ending != load.Answered || !o.Usage || o.PromptTokens < 1 {
		return
	}
	if d.exact {
		r.tokens.learn(d.model, d.bytes, o.PromptTokens)
	}
	r.settle(d, now, o)
	r.learn(d, now, o)
	r.correct(d, now, o)
}

// lose takes back what Begin said, where the prompt was not computed: its blocks are in no cache, and of its tokens only
// those can have been work that there was time for. To believe otherwise is not harmless: the next answer to such a prompt
// would show that the cache had let go of it, and so of all that is older.
func (r *Router) lose(d *Decision, now int64) {
	r.Unhold(d.endpoint, d.Chain.Hash[d.Matched:], d.begun)
	seconds := float64(max(now-d.begun, 0)) / 1e9
	less := min(seconds/r.Load.PerToken(d.endpoint)-d.tokens, 0)
	r.Load.Corrected(d.endpoint, now, less*load.Fade(seconds/workSeconds))
	r.long.give(d.endpoint, less)
}

// learn takes the times of a streamed answer. Of a request that moved, nobody knows when it came to its endpoint.
func (r *Router) learn(d *Decision, now int64, o Outcome) {
	if !d.streams || d.first == 0 || d.moved {
		return
	}
	first := o.TTFT
	if first <= 0 {
		first = d.first - d.begun
	}
	computed := float64(max(o.PromptTokens-o.CachedTokens, 1))
	r.Load.Learn(d.endpoint, d.ahead+computed, float64(first)/1e9)
	if o.OutputTokens > 1 {
		r.Load.LearnStep(d.endpoint, float64(now-d.begun-first)/1e9/float64(o.OutputTokens-1))
	}
}

// withdraw takes the request out of the endpoint's queue where it is still there.
func (r *Router) withdraw(d *Decision, now int64) {
	if d.phase == waiting && d.streams {
		r.Load.Withdraw(d.endpoint, now, d.tokens)
	}
}

// judge tells the table how a request ended. Of an endpoint that does not even answer, it is to be supposed that it
// comes back with an empty cache.
func (r *Router) judge(endpoint int, now int64, how load.Ending) {
	wasDown := r.Load.Down(endpoint)
	if wentDown := r.Load.Judge(endpoint, now, how); wentDown && how == load.Refused {
		r.Forget(endpoint)
	}
	if wasDown && !r.Load.Down(endpoint) {
		r.join(endpoint, false)
	}
}

// Tick is to be called about once a second.
func (r *Router) Tick(now int64) {
	r.Load.Tick(now)
	r.cache.tick(r)
}
