package worker

import (
	"slices"

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
	if p == nil || p.off || p.known == nil || p.cfg.HoldLimit == 0 || x.choice == route.ChoiceOff {
		return false
	}
	req.Now = now
	choice, _, _ := p.experiment.choose(x.choice, req)
	r := p.routerOf(choice)
	among := p.known.Group(req.Model)
	waiting := p.waitingAmong(among)
	if !r.Crowded(among, waiting) || x.worker.inspector.Full() {
		return false
	}
	p.board.Sync(now)
	needs, wait := r.Holds(req, &x.decision, waiting)
	if wait {
		x.hold = hold{id: id, waits: true, since: now, needs: needs, among: among, router: r}
		p.waiting = append(p.waiting, x)
	}
	return wait
}

// Unhold undoes Hold: Decide follows.
func (x *Exchange) Unhold() { x.pool.leave(x) }

// LeaveHold ends the waiting.
func (x *Exchange) LeaveHold(now int64) {
	x.held = max(now-x.since, 0)
	x.pool.leave(x)
}

// much is how many times as many tokens one that waits must need to go after another that came later.
const much = 1.4

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

// due is the request of the pool that may go. Which one goes first decides how long all wait together: one goes before another that came
// sooner if it needs much less. Those for other endpoints, which serve another model, do not wait for it. None waits longer than the
// limit.
func (p *Pool) due(now int64) *Exchange {
	if len(p.waiting) == 0 {
		return nil
	}
	for _, x := range p.waiting {
		x.since = min(x.since, now) // the clock may have been set back
	}
	if oldest := p.waiting[0]; now-oldest.since >= p.cfg.HoldLimit {
		return oldest
	}
	p.board.Sync(now)
	if p.fullAt != now { // else of this tick: each that goes makes no room
		p.full, p.fullAt = p.full[:0], now
	}
	for first := p.least(); first != nil; first = p.least() {
		req := first.reading.Request()
		req.Now = now
		if first.router.HasRoom(req, &first.decision, first.needs, p.waitingAmong(first.among)) {
			return first
		}
		p.full = append(p.full, first.among)
	}
	return nil
}

// least is the request that goes first, of those that do not wait for endpoints known to be full; nil: there is none.
func (p *Pool) least() (first *Exchange) {
	for _, x := range p.waiting {
		if (first == nil || x.needs*much < first.needs) && !slices.Contains(p.full, x.among) {
			first = x
		}
	}
	return first
}

// waitingAmong is how many requests wait for these endpoints.
func (p *Pool) waitingAmong(among uint64) (n int) {
	for _, x := range p.waiting {
		if x.among == among {
			n++
		}
	}
	return n
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
