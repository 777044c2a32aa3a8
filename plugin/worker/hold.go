package worker

import (
	"warmroute/plugin/decision"
	"warmroute/plugin/queue"
	"warmroute/plugin/route"
)

// hold is what is known of a request that waits at the gateway for room (route.Router.Holds).
type hold struct {
	id     uint32
	waits  bool
	since  int64   // ns
	held   int64   // ns that it has waited, at the end
	needs  float64 // tokens
	among  uint64  // the endpoints that serve its model: pool.Pool.Group
	name   uint32  // theirs: pool.Pool.GroupName
	router *route.Router
}

// Hold says whether the request, whose body has come, is to wait before Decide: until Due returns its id, or Leave. Few of the bodies
// that may be held are held so long, in number and in bytes.
func (x *Exchange) Hold(id uint32, now int64) bool {
	if x.reading == nil || x.pool != nil && x.pool.cfg.HoldLimit == 0 {
		return false
	}
	req := x.reading.Request()
	if x.pool == nil {
		x.pool = x.worker.ofRequest(req)
	}
	p := x.pool
	if p == nil || !p.holds(x.choice) {
		return false
	}
	req.Now = now
	r := p.routerFor(x.choice, req)
	among := p.known.Group(req.Model)
	name := p.nameOf(among, req.Model)
	waits := p.waitsFor(among, name)
	if !r.Crowded(among, &waits) || x.worker.inspector.Full() {
		return false
	}
	p.board.Sync(now)
	if len(req.Stored) > 0 && p.known.Keeper(x.owner, req.Stored) >= 0 { // it has no choice
		return false
	}
	needs, wait := r.Holds(req, &x.decision, &waits)
	if wait {
		x.hold = hold{id: id, waits: true, since: now, needs: needs, among: among, name: name, router: r}
		p.waiting = append(p.waiting, x)
		p.noteHolds()
		p.board.PublishKnown(now)
	}
	return wait
}

// mayHold says whether new prompts wait for room: then a long one is read to its end, for else it would go past shorter ones that wait.
// One that is not to be steered, or that is decided on before its end in any case, does not wait.
func (w *Worker) mayHold(p *Pool, req *decision.Request) bool {
	if !p.holds(req.Choice) || req.Due || !w.inspector.Holds(req.Length) {
		return false
	}
	req.Now = w.now
	return p.routerFor(req.Choice, req).Holding(p.known.Group(req.Model))
}

// waits says whether a request without a prompt is to be held to its end, because prompts wait: clients could else have theirs go past them,
// by a body that is not read here, though servers read it.
func (w *Worker) waits(req *decision.Request) bool {
	p := w.ofRequest(req)
	return p != nil && w.mayHold(p, req)
}

// holds says whether requests of that choice may wait at all.
func (p *Pool) holds(choice decision.Choice) bool {
	return !p.off && p.known != nil && p.cfg.HoldLimit != 0 && choice != decision.ChoiceOff
}

// routerFor is the router of a request's policy, or of the arm of an experiment that it is in.
func (p *Pool) routerFor(own decision.Choice, req *decision.Request) *route.Router {
	choice, _, _ := p.experiment.choose(own, req)
	return p.routerOf(choice)
}

// Unhold undoes Hold: Decide follows.
func (x *Exchange) Unhold() { x.pool.leave(x) }

// LeaveHold ends the waiting.
func (x *Exchange) LeaveHold(now int64) {
	x.held = max(now-x.since, 0)
	x.pool.leave(x)
}

// mostFreed is how many requests go after one tick at most. That takes a worker about a millisecond; the others go after the next.
const mostFreed = 32

// Due is the next request that waits no longer: there is room, or it has waited as long as it may. Decide it before the next call;
// call it after Tick until there is none.
func (w *Worker) Due(now int64) (id uint32, ok bool) {
	if w.freed == mostFreed {
		return 0, false
	}
	for range w.pools { // in turn: the requests of one pool may always be too many for a tick
		w.turn = (w.turn + 1) % len(w.pools)
		if x := w.pools[w.turn].due(now); x != nil {
			w.freed++
			x.LeaveHold(now)
			return x.id, true
		}
	}
	return 0, false
}

// due is the request of the pool that may go. Which one goes first decides how long all wait together, so all workers and gateways let
// them go in one order (queue.Turn): one goes if there is room for it, and for each that is first elsewhere and goes before it. Those for
// other endpoints, which serve another model, do not wait for it. None waits longer than the limit.
func (p *Pool) due(now int64) *Exchange {
	if len(p.waiting) == 0 {
		return nil
	}
	for _, x := range p.waiting {
		if x.since > now { // the clock was set back
			x.since = now
			p.noteHolds()
		}
	}
	if oldest := p.waiting[0]; now-oldest.since >= p.cfg.HoldLimit {
		return oldest
	}
	p.board.Sync(now)
	if p.fullAt != now { // else of this tick: each that goes makes no room
		p.full, p.fullAt = p.full[:0], now
	}
	for first := p.first(); first != nil; first = p.first() {
		req := first.reading.Request()
		req.Now = now
		waits := p.waitsFor(first.among, first.name)
		ahead := p.known.AtGateways.Ahead(first.name, first.turn())
		rooms := first.router.Rooms(req, &first.decision, first.needs, &waits, ahead+1)
		if p.mayGo(first, rooms, ahead, &waits.Elsewhere, now) {
			return first
		}
		p.full = append(p.full, first.among)
	}
	return nil
}

// waitsFor is what waits for a group of endpoints, of that name elsewhere.
func (p *Pool) waitsFor(among uint64, name uint32) route.Waits {
	waits := route.Waits{Elsewhere: p.known.AtGateways.Others(name)}
	for _, x := range p.waiting {
		if x.among == among {
			waits.Here++
		}
	}
	return waits
}

// nameOf is the name of a group, which does not change while endpoints neither come nor leave.
func (p *Pool) nameOf(among uint64, model []byte) uint32 {
	if among == 0 {
		return 0
	}
	if of := p.board.Generation(); p.namesOf != of || len(p.names) > mostNames {
		p.names, p.namesOf = nil, of
	}
	name, known := p.names[among]
	if !known {
		if p.names == nil {
			p.names = map[uint64]uint32{}
		}
		name = p.known.GroupName(model)
		p.names[among] = name
	}
	return name
}

// noteHolds tells of what waits here, with what is published next.
func (p *Pool) noteHolds() {
	holds := p.known.AtGateways.Own()[:0]
	for _, x := range p.waiting {
		holds = queue.AddHold(holds, queue.Hold{Group: x.name, Requests: 1, First: x.turn()})
	}
	p.known.AtGateways.SetOwn(holds)
}

// leave takes a request out of those that wait.
func (p *Pool) leave(x *Exchange) {
	if !x.waits {
		return
	}
	x.waits = false
	for i, other := range p.waiting {
		if other == x {
			p.waiting = append(p.waiting[:i], p.waiting[i+1:]...)
			p.noteHolds()
			return
		}
	}
}

// Needs is the prompt tokens that a request which was held must have computed, as estimated then.
func (x *Exchange) Needs() int64 { return int64(x.needs) }

// Waiting is how many requests wait at the gateway, in this worker.
func (p *Pool) Waiting() int { return len(p.waiting) }

// Held is how long the request has waited at the gateway, in ns, and whether as long as it may.
func (x *Exchange) Held() (ns int64, limit bool) {
	return x.held, x.held > 0 && x.held >= x.pool.cfg.HoldLimit
}
