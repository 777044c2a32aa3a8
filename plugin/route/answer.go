package route

import "warmroute/plugin/load"

// Outcome is how a request ended, as far as it is known. Numbers that are not known are 0.
type Outcome struct {
	Ending load.Ending

	PromptTokens int  // usage.prompt_tokens
	CachedTokens int  // usage.prompt_tokens_details.cached_tokens
	Usage        bool // PromptTokens and CachedTokens are known
	OutputTokens int  // usage.completion_tokens, or parts of a streamed answer

	TTFT int64 // nanoseconds from Begin to the first part of a streamed answer
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
	d.endpoint, d.begun, d.phase = endpoint, now, waiting
	d.ahead = r.Load.Queued(endpoint, now)
	d.tokens = max(d.promptTokens-float64(d.Matched)*r.blockTokens, 1)
	if d.Total == 0 {
		d.tokens = max(d.promptTokens, 1)
	}
	r.Load.Begin(endpoint, now, d.tokens, d.streams)
	if r.Index != nil {
		r.Index.Insert(endpoint, d.Chain, millis(now))
	}
}

// Endpoint is where the request is counted, after Begin.
func (d *Decision) Endpoint() int { return d.endpoint }

// Served says that the request was answered by another endpoint than the one it was sent to: the proxy has tried
// those before it in the order, and they failed.
func (r *Router) Served(d *Decision, endpoint int, now int64) {
	if d.phase != waiting || endpoint == d.endpoint {
		return
	}
	r.withdraw(d, now)
	r.Load.Release(d.endpoint)
	for _, tried := range d.Order {
		if tried == endpoint {
			break
		}
		r.judge(tried, now, load.Refused)
	}
	d.Matched = 0
	if r.Index != nil {
		r.Index.Match(d.Chain, r.depth)
		d.Matched = int(r.depth[endpoint])
		if d.Matched > 0 {
			d.touched, _ = r.Index.Touched(endpoint, d.Chain[d.Matched-1])
		}
	}
	r.begin(d, endpoint, now)
}

// FirstToken says that the first part of a streamed answer has come.
func (r *Router) FirstToken(d *Decision, now int64) {
	if d.phase != waiting {
		return
	}
	d.phase = running
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
	if o.Ending != load.Answered || !o.Usage || o.PromptTokens < 1 {
		return
	}
	computed := float64(max(o.PromptTokens-o.CachedTokens, 1))
	if d.exact {
		r.tokens.learn(d.model, d.bytes, o.PromptTokens)
	}
	if d.streams && o.TTFT > 0 {
		r.Load.Learn(d.endpoint, d.ahead+computed, float64(o.TTFT)/1e9)
		if o.OutputTokens > 1 {
			r.Load.LearnStep(d.endpoint, float64(now-d.begun-o.TTFT)/1e9/float64(o.OutputTokens-1))
		}
	}
	r.correct(d, now, o)
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
	if wentDown := r.Load.Judge(endpoint, now, how); wentDown && how == load.Refused {
		r.Forget(endpoint)
	}
}

// Forget drops what the endpoint's cache was believed to hold: it has restarted or gone.
func (r *Router) Forget(endpoint int) {
	if r.Index != nil {
		r.Index.Drop(endpoint)
	}
}

// A belief is given up only where it had time to come true: blocks touched less than this before the decision may
// still have been on their way. Milliseconds.
const ripe = 2000

// correct holds what was believed of the endpoint's cache against the true hit. The last block of a prompt is always
// computed, and blocks of the cache are not blocks of the index: within two of ours they agree.
func (r *Router) correct(d *Decision, now int64, o Outcome) {
	if r.Index == nil || d.Total == 0 {
		return
	}
	share := min(float64(o.CachedTokens)/float64(o.PromptTokens), 1)
	held := int(share*float64(d.bytes)/float64(r.blockBytes) + 2)
	believed := d.Matched
	if int32(millis(d.begun)-d.touched) < ripe || !d.exact {
		believed = 0
	}
	r.Index.Correct(d.endpoint, d.Chain, believed, held, d.touched, millis(now))
}

func millis(ns int64) uint32 { return uint32(ns / 1e6) }

// SetCache says how many tokens fit into an endpoint's cache; less than 1: it is not known.
func (r *Router) SetCache(endpoint int, tokens float64) {
	if r.Index != nil {
		r.Index.SetCapacity(endpoint, int(min(tokens*usualBytes/float64(r.blockBytes), 1<<30)))
	}
}

// Tick is to be called about once a second.
func (r *Router) Tick(now int64) { r.Load.Tick(now) }
