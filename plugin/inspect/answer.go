package inspect

import (
	"strconv"
	"strings"

	"warmroute/plugin/load"
	"warmroute/plugin/prompt"
	"warmroute/plugin/route"
	"warmroute/plugin/share"
)

// Answer follows one steered request to its end and tells the router, and the other workers, what became of it. The zero
// Answer needs a Decide or DecideKey; it may be used again after End.
type Answer struct {
	router    *route.Router // nil after DecideKey: nobody here is to learn anything
	board     *share.Board
	inspector *Inspector
	decision  *route.Decision
	shadowed  *Shadowed // kept for reuse; nil where no shadow ever decided
	address   string    // where the request is counted; "" where that is not known

	began   int64 // ns
	ttft    int64 // ns to the first byte of an SSE answer; 0 before it
	parts   int   // of the body: about one a token, where it is SSE
	ending  load.Ending
	asked   bool // the answer will tell its usage
	sse     bool
	good    bool // its status is of success
	lost    bool // no part of an answer to the prompt has come
	reading bool // usage is looked for
	known   bool // tokens and cached are known
	open    bool
	usage   prompt.UsageReader
	tokens  int    // of the prompt, as the replica counts them
	cached  int    // of those, from its prefix cache
	served  string // the address that answered, where it is not the first choice
}

// Decide picks endpoints for req into d, by what this worker and its peers know, and counts the request at the first of
// them, from now on until End. It is false where the pool has no endpoints: then there is no answer to follow.
func (a *Answer) Decide(r *route.Router, b *share.Board, req *route.Request, d *route.Decision, now int64) bool {
	req.Now = now
	b.Read(now)
	if !r.Pick(req, d) {
		return false
	}
	p := req.Prompt
	a.begin(p, d, now)
	a.router, a.board, a.address = r, b, r.Endpoints[d.Order[0]].Address
	r.Begin(d, now)
	b.Routed(d.Endpoint(), &d.Chain, now)
	return true
}

// DecideKey writes the affinity key of req into d, for the steering target hash. Where there is none it says what is
// missing, and the request is not to be steered.
func (a *Answer) DecideKey(in *Inspector, req *route.Request, d *route.Decision, now int64) (why string) {
	req.Now = now
	if why = route.PickKey(in.cfg, req, d); why == "" {
		a.begin(req.Prompt, d, now)
		a.router, a.board, a.address, a.inspector = nil, nil, "", in
	}
	return why
}

// Extend takes the whole prompt of a request that was decided when only its beginning had come.
func (a *Answer) Extend(p *prompt.Prompt, now int64) {
	if !a.open || a.router == nil {
		return
	}
	if a.router.Extend(a.decision, p, now) {
		a.board.Routed(a.decision.Endpoint(), &a.decision.Chain, now)
	}
	if o := a.shadowed; o != nil && o.shadow != nil && o.shadow.router.Extend(&o.decision, p, now) {
		o.shadow.board.Routed(o.decision.Endpoint(), &o.decision.Chain, now)
	}
}

func (a *Answer) begin(p *prompt.Prompt, d *route.Decision, now int64) {
	a.decision = d
	if a.shadowed != nil {
		a.shadowed.used = false
	}
	a.began, a.ttft, a.parts, a.served = now, 0, 0, ""
	a.sse, a.reading, a.known, a.open = false, false, false, true
	a.good, a.lost = false, true
	a.ending = load.Cancelled // until an answer has come whole
	// An SSE answer has usage only where the client asked for it; without, its chunks need not be read.
	a.asked = p != nil && (!p.Stream || p.IncludeUsage)
}

// Open says whether the request is under way.
func (a *Answer) Open() bool { return a.open }

// Address is the endpoint at which the request is counted; "" where that is not known.
func (a *Answer) Address() string { return a.address }

// Server is who answers, as the proxy tells it.
type Server struct {
	Address  string // "" where it is not known
	Attempts int    // requests that it took, 1 for no retry; 0 where that is not known
}

// Headers takes the answer's beginning: who it comes from, its status and content type.
func (a *Answer) Headers(from Server, status int, contentType string, now int64) {
	a.serve(from, now)
	if status != 200 {
		a.asked = false
	}
	if how := route.EndingOf(status); from.Address == "" {
		a.ending = load.Cancelled // the proxy's own answer: it says nothing of the endpoint
	} else if how != load.Answered {
		a.ending = how
	} else {
		a.ending = load.Broken // unless the end is seen
	}
	a.sse = strings.HasPrefix(contentType, "text/event-stream")
	a.good = status/100 == 2 && from.Address != ""
	a.lost = !a.good || a.sse // which begins before its first token
	a.reading = a.asked && (a.sse || isJSON(contentType))
	if a.reading {
		a.usage.Reset(a.sse)
	}
}

// serve moves the count where another endpoint than the first answers: after a retry, which the endpoints before it in
// the order are to blame for, or because the proxy went its own way.
func (a *Answer) serve(from Server, now int64) {
	if from.Address == "" || from.Address == a.address {
		return
	}
	a.served = from.Address
	if a.router == nil {
		a.address = from.Address
		return
	}
	endpoints := a.router.Endpoints
	for i := range endpoints {
		if endpoints[i].Address != from.Address || !a.router.Load.Present(i) {
			continue
		}
		a.address = from.Address
		left := a.decision.Endpoint()
		blocks, at := a.decision.Given()
		if from.Attempts > 1 {
			a.router.Served(a.decision, i, now)
		} else {
			a.router.Moved(a.decision, i, now)
		}
		if a.decision.Endpoint() != left {
			a.board.Lost(left, blocks, at)
		}
		a.board.Routed(i, &a.decision.Chain, now)
		return
	}
}

// Reads says whether Read wants the body's bytes.
func (a *Answer) Reads() bool { return a.reading }

// Read takes the next bytes of the body, in pieces of any size.
func (a *Answer) Read(piece []byte) {
	if a.reading {
		a.usage.Write(piece)
	}
}

// Chunk says that a part of the body has come, and reports whether it is an SSE answer's first.
func (a *Answer) Chunk(now int64) (first bool) {
	a.parts++
	a.lost = a.lost && !a.good
	if a.sse && a.ttft == 0 {
		a.ttft, first = max(now-a.began, 1), true
		if a.router != nil {
			a.router.FirstToken(a.decision, now)
		}
		if o := a.shadowed; o != nil && o.shadow != nil {
			o.shadow.router.FirstToken(&o.decision, now)
		}
	}
	return first
}

// Complete says that the answer has come to its end.
func (a *Answer) Complete() {
	if a.ending == load.Broken {
		a.ending = load.Answered
	}
	if a.reading {
		a.usage.Close()
		var told bool
		a.tokens, a.cached, told = a.usage.Cached()
		if a.router != nil {
			a.known = a.router.TrueHit(a.decision.Endpoint(), a.tokens, told)
		} else {
			a.known = a.inspector.trueHit(a.tokens, told)
		}
		a.reading = false
	}
}

// Usage is what the replica said of the prompt: its tokens, and those from its prefix cache.
func (a *Answer) Usage() (tokens, cached int, known bool) { return a.tokens, a.cached, a.known }

// Ending is how the request ended, after End.
func (a *Answer) Ending() load.Ending { return a.ending }

// TTFT is the time to the first byte of an SSE answer in nanoseconds; 0 where there was none.
func (a *Answer) TTFT() int64 { return a.ttft }

// End ends the request, however it went; left means that the client hung up. A second call does nothing.
func (a *Answer) End(now int64, left bool) {
	if !a.open {
		return
	}
	a.open = false
	if left && a.ending == load.Broken {
		a.ending = load.Cancelled
	}
	if o := a.shadowed; o != nil && o.shadow != nil {
		o.end(now, a.lost)
	}
	if a.router == nil {
		return
	}
	if a.lost {
		blocks, at := a.decision.Given()
		a.board.Lost(a.decision.Endpoint(), blocks, at)
	}
	a.router.Answered(a.decision, now, route.Outcome{
		Ending: a.ending, Lost: a.lost, PromptTokens: a.tokens, CachedTokens: a.cached, Usage: a.known, OutputTokens: a.parts, TTFT: a.ttft,
	})
	a.board.Counted(now)
}

// Describe is the decision and what is known of the answer, as name=value pairs joined by ';'.
func (a *Answer) Describe() []byte {
	if a.router == nil {
		return a.append(a.decision.Append(nil, nil))
	}
	return a.append(a.decision.Append(nil, a.router.Endpoints))
}

func (a *Answer) append(dst []byte) []byte {
	if o := a.shadowed; o != nil && o.used {
		dst = o.append(dst)
	}
	if a.served != "" {
		dst = append(dst, ";served="...)
		dst = append(dst, a.served...)
	}
	if a.ttft > 0 {
		dst = append(dst, ";ttft_us="...)
		dst = strconv.AppendInt(dst, a.ttft/1000, 10)
	}
	if a.known {
		dst = append(dst, ";prompt_tokens="...)
		dst = strconv.AppendInt(dst, int64(a.tokens), 10)
		dst = append(dst, ";cached_tokens="...)
		dst = strconv.AppendInt(dst, int64(a.cached), 10)
	}
	return dst
}
