package worker

import (
	"strings"

	"warmroute/plugin/answers"
	"warmroute/plugin/health"
	"warmroute/plugin/inspect"
	"warmroute/plugin/prompt"
)

// response is what is known of a steered request's response.
type response struct {
	open     bool
	began    int64 // ns: when the request was sent
	leaps    int   // of the worker's clock until then
	ttft     int64 // ns to the first byte of an SSE response, behind what opens it; 0 before it
	part     int64 // ns: when the last part of another one came, up to came
	came     int64 // ns: when the first one came that is not white space; 0 before it
	ending   health.Ending
	asked    bool // it will have usage
	sse      bool
	opening  answers.Opening
	good     bool   // its status is 2xx
	lost     bool   // no part of a response to the prompt has come
	own      bool   // it is the proxy's own, or the request has not come to its endpoint
	unfit    bool   // its status may be that of a prompt that is too long
	reading  bool   // its body is read for usage
	naming   bool   // and for its name
	known    bool   // tokens and cached are known
	tokens   int    // of the prompt, as the replica counts them
	cached   int    // of those, from its prefix cache
	output   int    // tokens of the response; 0: not known
	finished bool   // the whole response has come
	client   uint64 // hashed address, of an error's
	strayed  bool   // what responds is not in the pool
	served   string // the address that responded, if it is not the first choice
}

func (x *Exchange) expectResponse(p *prompt.Prompt, now int64) {
	x.response = response{
		open: true, began: now, leaps: x.worker.leaps, lost: true,
		ending: health.Cancelled, // until a whole response has come
		asked:  p != nil && p.TellsUsage(),
	}
}

// Server is the endpoint that responds, as the proxy reports it.
type Server struct {
	Address  string // "" if it is not known
	Replied  bool   // an error of status 502 or 503 is its own, or came of a connection that was cut: it was reached
	Client   uint64 // of an error or a retry: the address of the request's client, hashed; 0: not known
	Attempts int    // of the proxy, 1 for no retry; 0 if it is not known
}

// Headers takes the response's beginning: the endpoint that it comes from, its status and content type. now is used only if that
// is not where the request is counted (Server).
func (x *Exchange) Headers(from Server, status int, contentType string, now int64) {
	x.serve(from, status < 500, now)
	x.client = from.Client
	if status != 200 {
		x.asked = false
	}
	x.own = from.Address == ""
	if how := health.EndingOf(status); x.own {
		x.ending = health.Cancelled // the proxy's own response: it says nothing of the endpoint
	} else if how != health.Answered {
		x.ending = how
		if how == health.Refused && from.Replied {
			x.ending = health.Failed
		}
	} else {
		x.ending = health.Broken // until its end comes
	}
	x.sse = isEventStream(contentType)
	x.good = status/100 == 2 && from.Address != ""
	x.lost = !x.good || x.sse // an SSE response begins before its first token
	x.unfit = from.Address != "" && (status == 400 || status == 413 || status == 422)
	x.response.reading = x.asked && (x.sse || inspect.IsJSON(contentType))
	if x.response.reading {
		x.usage.Reset(x.sse)
	}
	if x.naming = x.naming && status == 200 && from.Address != "" && (x.sse || inspect.IsJSON(contentType)); x.naming {
		x.title.Reset()
	}
}

// isEventStream takes text/event-stream in any case, with parameters or without (RFC 9110, 8.3.1).
func isEventStream(contentType string) bool {
	const kind = "text/event-stream"
	return strings.HasPrefix(contentType, kind) || len(contentType) >= len(kind) && strings.EqualFold(contentType[:len(kind)], kind)
}

// Reads says whether Read wants the response's bytes.
func (x *Exchange) Reads() bool { return x.response.reading || x.naming }

// Read takes the next bytes of the response's body, in pieces of any size. It follows Chunk.
func (x *Exchange) Read(piece []byte) {
	if x.response.reading {
		if x.came == 0 && !x.sse && !isSpace(piece) {
			x.came = x.part
		}
		x.usage.Write(piece)
	}
	if x.naming { // last: it reads shared data, which may be put where the piece lies
		x.readName(piece)
	}
}

// Opening says whether the response's next part may be none of it to Chunk, but what comes before the first token: Opens is to read it.
func (x *Exchange) Opening() bool { return x.sse && x.ttft == 0 }

// Opens reads the next bytes of an SSE response, and says whether all so far comes before its first token.
func (x *Exchange) Opens(piece []byte) bool { return !x.opening.Write(piece) }

// isSpace says whether there is nothing but white space, which some servers send until they have the answer.
func isSpace(piece []byte) bool {
	for _, c := range piece {
		if c > ' ' {
			return false
		}
	}
	return true
}

// AwaitsPart says that the time of the response's next part counts: it will be an SSE response's first, or may be the first of another that
// says something.
func (x *Exchange) AwaitsPart() bool {
	if x.sse {
		return x.ttft == 0
	}
	return x.response.reading && x.came == 0
}

// Chunk records that a part of the response's body has come, and reports whether it is an SSE response's first part. now is used only if
// AwaitsPart.
func (x *Exchange) Chunk(now int64) (first bool) {
	x.lost = x.lost && !x.good
	if !x.sse || x.ttft != 0 {
		x.part = now
		return false
	}
	x.ttft = max(now-x.began, 1)
	if x.pool.known != nil {
		x.pool.known.FirstToken(&x.decision.Flight, now)
		x.pool.board.Record(x.decision.Endpoint(), x.decision.Entered(), now)
		x.pool.tellFirstToken(now)
	}
	x.shadow.firstToken(now)
	return true
}

// Told says that a client that leaves now has had the whole response: official clients leave at a stream's last event, and
// do not wait for its end.
func (x *Exchange) Told() bool { return x.response.reading && x.sse && x.usage.Told() }

// Complete records that the whole response has come.
func (x *Exchange) Complete() {
	x.finished = true
	if x.ending == health.Broken {
		x.ending = health.Answered
	}
	if !x.response.reading {
		return
	}
	x.response.reading = false
	var told bool
	x.tokens, x.cached, told = x.usage.Cached()
	x.cached = min(x.cached, x.tokens)
	x.output = x.usage.Output()
	p := x.pool
	if x.strayed {
		x.known = told
		return
	}
	if p.known != nil {
		x.known = p.known.TrueHit(x.decision.Endpoint(), x.tokens, told)
		return
	}
	p.reportsHits = p.reportsHits || told // endpoints are not known: all are assumed to be alike
	x.known = told || x.tokens > 0 && p.reportsHits
}

// Finished says whether the whole response has come.
func (x *Exchange) Finished() bool { return x.finished }

// Responding says whether a response has begun, of a status below 500, that has not come to its end.
func (x *Exchange) Responding() bool { return x.open && x.ending == health.Broken }

// NotSent records that the request has not gone to the endpoint where it is counted.
func (x *Exchange) NotSent() { x.own = true }

// Blame names the client of a request whose response was broken off, by its address, hashed.
func (x *Exchange) Blame(client uint64) { x.client = client }

// Usage is the usage in the response: the prompt's tokens, and those of them from the replica's prefix cache.
func (x *Exchange) Usage() (tokens, cached int, known bool) { return x.tokens, x.cached, x.known }

// Ending is how the request ended, after End.
func (x *Exchange) Ending() health.Ending { return x.ending }

// TTFT is the time to the first byte of an SSE response, behind what opens it, in nanoseconds; 0 if there was none, or the clock has not gone on
// evenly since the request was sent (Leapt).
func (x *Exchange) TTFT() int64 {
	if x.leapt() {
		return 0
	}
	return x.ttft
}

// leapt says whether the clock has leapt since the request was sent.
func (x *Exchange) leapt() bool { return x.leaps != x.worker.leaps }

// Open says whether the request is steered and has not ended.
func (x *Exchange) Open() bool { return x.open }
