package worker

import (
	"warmroute/plugin/answers"
	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/health"
	"warmroute/plugin/inspect"
	"warmroute/plugin/pool"
	"warmroute/plugin/why"
)

// Exchange is one request and its response. The zero Exchange is ready for Begin, and so is one that has ended: its
// memory is used again.
type Exchange struct {
	worker   *Worker
	pool     *Pool // that the request is in; nil: not known, or none
	decision decision.Decision
	usage    answers.Usage
	title    answers.ID
	shadow   shadowed
	text     []byte // of Describe; the memory is used again
	steering []byte // likewise
	state
}

// state is what begins anew with each request.
type state struct {
	reading   *inspect.Reading // while the body is inspected
	byLoad    decision.Request // the request for the router if there is no prompt
	address   string           // of the endpoint where the request is counted; "" if it is not known
	begun     bool             // it counts in pool.open
	choice    decision.Choice  // of the policy
	described int              // bytes of text that are about the decision; 0: not written yet
	unlisted  bool             // no endpoint lists the model
	named     bool             // its response may have a name (inspect.Head.Named)
	owner     uint64           // decision.Request's
	unranked  bool             // its API takes no data-parallel rank
	modelless bool             // it goes on before its model has come, on which the choice depends
	recorded
	hold
	unsentAt int // its place among the worker's unsent, from 1; 0: none
	arm      Arm
	group    int // within the arm
	response
}

// Begin takes a request's head and says what to do with the request: pass it, decide at once, or Write its body. The code
// says why the body is not read.
func (x *Exchange) Begin(w *Worker, h *inspect.Head) (verdict inspect.Verdict, code why.Code) {
	x.worker, x.state = w, state{}
	x.shadow.used = false
	x.owner = w.ownerOf(h.Tenant)
	x.choice = w.choiceOf(h)
	h.Choice = x.choice
	if x.pool = w.atHead(h); x.pool != nil {
		h.Pool = x.pool.place + 1
		if x.pool.off || x.choice == decision.ChoiceOff {
			return inspect.Pass, why.Off
		}
		if x.pool.pattern > 0 {
			x.pool.open++
			x.begun = true
		}
	}
	if x.aboutStored(h) {
		return inspect.ByLoad, why.NoPrompt
	}
	x.reading, verdict, code = w.inspector.Begin(h)
	x.named = h.Named
	x.byLoad.Why = code
	if verdict != inspect.Pass {
		w.begins()
	}
	return verdict, code
}

// Forget lets go of the pool, after End: an Exchange that waits for its next request must not keep the index of one that a pattern
// has made and that is gone.
func (x *Exchange) Forget() { x.worker, x.pool, x.shadow.shadow, x.router = nil, nil, nil, nil }

// ByLoad stops reading the body: the request is decided without a prompt.
func (x *Exchange) ByLoad(code why.Code) {
	x.modelless = x.LacksModel()
	if x.pool == nil && x.reading != nil {
		x.pool = x.worker.ofRequest(&decision.Request{Model: x.reading.Model()})
	}
	var stored []byte
	if x.reading != nil {
		stored = append(stored, x.reading.Stored()...)
	}
	x.Leave()
	x.byLoad = decision.Request{Stored: stored, Why: code}
}

// LacksModel says that the choice depends on the model, which has not come; not once the reading has ended.
//
//go:noinline
func (x *Exchange) LacksModel() bool { return x.reading != nil && x.reading.LacksModel() }

// Modelless says that the request goes on before its model has come, on which the choice depends: a server that does not have the model
// may get it. A body that has ended without a model is none of them.
func (x *Exchange) Modelless() bool { return x.modelless }

// Seen is the bytes of the body read so far. Call it only while the body is read.
func (x *Exchange) Seen() int { return x.reading.Seen() }

// Arrived says that as much of the body has come as its content-length announced. Call it only while the body is read.
func (x *Exchange) Arrived() bool { return x.reading.Arrived() }

// Crowded says that the worker holds more than it may: a request that would wait for more of its body is not to.
func (x *Exchange) Crowded() bool { return x.worker.inspector.Crowded() }

// Filling says that the worker holds more than half of the bodies that it may: none is to be held for long.
func (x *Exchange) Filling() bool { return x.worker.inspector.Filling() }

// Reading says whether Write wants the body's next bytes: before the decision, and after it as long as the prompt may go on.
func (x *Exchange) Reading() bool { return x.reading != nil }

// Room is how much Write is to be given at most where the proxy lends the memory. Call it only while the body is read.
func (x *Exchange) Room() int { return x.reading.Room() }

// Write reads the body's next bytes and says whether the decision can be made: all that it needs has come, or the rest
// cannot change it.
func (x *Exchange) Write(piece []byte) (enough bool) {
	enough = x.reading.Write(piece)
	if x.reading.Burdens() {
		x.Leave()
	}
	return enough
}

// Hasten says that the body takes too long to come, and whether what has come is enough for a decision: Decide follows then.
func (x *Exchange) Hasten() (enough bool) { return x.reading.Hasten() }

// FitsIn says that the whole body, by its content-length, is that long at most. Call it only while the body is read.
func (x *Exchange) FitsIn(bytes int) bool { return x.reading.FitsIn(bytes) }

// Work is prompt.Scanner.Work. Call it only while the body is read.
func (x *Exchange) Work() int { return x.reading.Work() }

// Cut ends the wait for more of the body: Decide follows.
func (x *Exchange) Cut() { x.reading.Cut() }

// EndBody records that the body has ended, and enters what was read of the prompt since the decision. It reports whether
// Describe now shows a longer prompt.
func (x *Exchange) EndBody(now int64) (longer bool) {
	if x.reading == nil {
		return false
	}
	switch whole, p, d := x.reading.Whole(), x.pool, &x.decision; {
	case !x.open || p.known == nil:
	case whole == nil || x.unranked:
		p.known.Resume(&d.Flight, now)
		x.shadow.resume(now)
	default:
		x.described = 0
		if longer = p.known.Extend(&d.Flight, whole, now); longer {
			p.board.RecordRouted(d.Endpoint(), d.Entered(), now)
		}
		x.shadow.extend(whole, now)
		x.asked = x.asked && whole.TellsUsage()
	}
	x.Leave()
	return longer
}

// Pool is the pool that the request is in; nil: it is not known yet, or there is none.
func (x *Exchange) Pool() *Pool { return x.pool }

// Leave releases what only the reading of the body needs. A second call does nothing.
func (x *Exchange) Leave() {
	if x.reading != nil {
		if x.waits {
			x.pool.leave(x)
		}
		x.worker.inspector.End(x.reading)
		x.worker.unsent.drop(x)
		x.reading = nil
	}
}

// Decision is what was decided, after Decide.
func (x *Exchange) Decision() *decision.Decision { return &x.decision }

// Address is the endpoint at which the request is counted; "" if it is not known.
func (x *Exchange) Address() string { return x.address }

// Server is the address of that endpoint's server.
func (x *Exchange) Server() string {
	server, _ := config.SplitRank(x.address)
	return server
}

// Unlisted says that the request was steered though no endpoint lists its model, and all lists are known.
func (x *Exchange) Unlisted() bool { return x.unlisted }

// End ends the request, in any way; left says that the client disconnected. A second call does nothing.
func (x *Exchange) End(now int64, left bool) {
	x.Leave()
	if x.begun {
		x.begun = false
		x.pool.open--
	}
	if !x.open {
		return
	}
	x.open = false
	if left && x.ending == health.Broken {
		x.ending = health.Cancelled
	}
	left = left && x.ending == health.Cancelled && !x.own
	p, f := x.pool, &x.decision.Flight
	if x.strayed {
		x.shadow.end(now, true, false, health.Cancelled)
		return
	}
	x.shadow.end(now, x.lost, left, x.ending)
	if p.known == nil {
		return
	}
	p.known.End(f, now, pool.Outcome{
		Ending: x.ending, Client: x.client, Lost: x.lost, HungUp: left, Unfit: x.unfit, Leapt: x.leapt(), Mute: x.asked && x.finished && x.tokens == 0, PromptTokens: x.tokens, CachedTokens: x.cached, OutputTokens: x.output, Usage: x.known, TTFT: x.ttft, Came: x.came,
	})
	p.board.RecordEnd(f, now)
	p.tellEnd(now)
}
