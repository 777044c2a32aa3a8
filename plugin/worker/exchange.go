package worker

import (
	"warmroute/plugin/inspect"
	"warmroute/plugin/pool"
	"warmroute/plugin/prompt"
	"warmroute/plugin/route"
	"warmroute/plugin/why"
)

// Exchange is one request and its response. The zero Exchange is ready for Begin, and so is one that has ended: its
// memory is used again.
type Exchange struct {
	worker   *Worker
	decision route.Decision
	usage    prompt.UsageReader
	shadow   shadowed
	state
}

// state is what begins anew with each request.
type state struct {
	reading *inspect.Reading // while the body is inspected
	byLoad  route.Request    // the request for the router if there is no prompt
	address string           // of the endpoint where the request is counted; "" if it is not known
	response
}

// Begin takes a request's head and says what to do with the request: pass it, decide at once, or Write its body. The code
// says why the body is not read.
func (x *Exchange) Begin(w *Worker, h *inspect.Head) (verdict inspect.Verdict, code why.Code) {
	x.worker, x.state = w, state{}
	x.shadow.used = false
	x.reading, verdict, code = w.inspector.Begin(h)
	x.byLoad.Why = code
	return verdict, code
}

// ByLoad stops reading the body: the request is decided without a prompt.
func (x *Exchange) ByLoad(code why.Code) {
	x.Leave()
	x.byLoad = route.Request{Why: code}
}

// Seen is the bytes of the body read so far. Call it only while the body is read.
func (x *Exchange) Seen() int { return x.reading.Seen() }

// Reading says whether Write wants the body's next bytes: before the decision, and after it as long as the prompt may go on.
func (x *Exchange) Reading() bool { return x.reading != nil }

// Write reads the body's next bytes and says whether the decision can be made: all that it needs has come, or the rest
// cannot change it.
func (x *Exchange) Write(piece []byte) (enough bool) { return x.reading.Write(piece) }

// EndBody records that the body has ended, and enters what was read of the prompt since the decision. It reports whether
// Describe now shows a longer prompt.
func (x *Exchange) EndBody(now int64) (longer bool) {
	if x.reading == nil {
		return false
	}
	if whole := x.reading.Whole(); whole != nil && x.open && x.worker.pool != nil {
		w, d := x.worker, &x.decision
		if longer = w.pool.Extend(&d.Flight, whole, now); longer {
			w.board.RecordRouted(d.Endpoint(), &d.Chain, now)
		}
		x.shadow.extend(whole, now)
		x.asked = x.asked && tellsUsage(whole)
	}
	x.Leave()
	return longer
}

// Decide decides by what is known of the request, and counts it at the decision's first endpoint until End. whole says that
// the body has ended; if not, Write goes on until EndBody. If the request cannot be steered, the code says why.
func (x *Exchange) Decide(whole bool, now int64) (code why.Code) {
	req := &x.byLoad
	if x.reading != nil {
		req = x.reading.Request()
	}
	code = x.decide(req, now)
	switch {
	case whole || code != "" || req.Prompt == nil:
		x.EndBody(now)
	case !x.worker.inspector.ReadOn(x.reading):
		x.Leave()
	}
	return code
}

func (x *Exchange) decide(req *route.Request, now int64) (code why.Code) {
	req.Now = now
	w, d := x.worker, &x.decision
	if w.pool == nil {
		if code = route.PickKey(w.cfg, req, d); code == "" {
			x.expectResponse(req.Prompt, now)
		}
		return code
	}
	w.board.Sync(now)
	if !w.router.Pick(req, d) {
		return why.NoEndpoints
	}
	x.expectResponse(req.Prompt, now)
	x.address = w.pool.Endpoints[d.Order[0]].Address
	w.pool.Begin(&d.Flight, d.Order[0], now)
	w.board.RecordRouted(d.Endpoint(), &d.Chain, now)
	if w.shadow != nil {
		x.shadow.decide(w.shadow, req, x, now)
	}
	return ""
}

// Leave releases what only the reading of the body needs. A second call does nothing.
func (x *Exchange) Leave() {
	if x.reading != nil {
		x.worker.inspector.End(x.reading)
		x.reading = nil
	}
}

// Decision is what was decided, after Decide.
func (x *Exchange) Decision() *route.Decision { return &x.decision }

// Address is the endpoint at which the request is counted; "" if it is not known.
func (x *Exchange) Address() string { return x.address }

// End ends the request, in any way; left says that the client disconnected. A second call does nothing.
func (x *Exchange) End(now int64, left bool) {
	x.Leave()
	if !x.open {
		return
	}
	x.open = false
	if left && x.ending == pool.Broken {
		x.ending = pool.Cancelled
	}
	x.shadow.end(now, x.lost)
	w, f := x.worker, &x.decision.Flight
	if w.pool == nil {
		return
	}
	if x.lost {
		blocks, at := f.Inserted()
		w.board.RecordRetracted(f.Endpoint(), blocks, at)
	}
	w.pool.End(f, now, pool.Outcome{
		Ending: x.ending, Lost: x.lost, PromptTokens: x.tokens, CachedTokens: x.cached, Usage: x.known, TTFT: x.ttft,
	})
	w.board.Publish(now)
}
