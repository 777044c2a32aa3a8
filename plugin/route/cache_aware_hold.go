package route

import (
	"warmroute/plugin/decision"
	"warmroute/plugin/others"
	"warmroute/plugin/queue"
)

// Late binding. Where memory is full, a new prompt only waits in a queue wherever it is sent, and what it is computed into evicts
// conversations that others come back for: then those are computed anew, answers wait for that and hold memory longer still. So new
// prompts wait at the gateway instead, the smallest first, and each goes once an endpoint has memory to spare for it. Prompts that an
// endpoint holds go at once.
//
// How much is spared, and when there is room: cache_aware_room.go.
//
// Where prompts of unknown clients wait at the replicas for a while, nothing is held: those prompts would take all that becomes free, and
// what waits here would wait until the limit. Gateways that send the same conversations (pool.Pool.ShownCompany) hold as this one does.

// From when new prompts are held, and which.
const (
	// queued is the mean time that a new prompt would wait at an endpoint for so long, in seconds; and the queue that an endpoint may have
	// when a held one goes there, a few ticks: it must not run out of prompts before the next.
	queued = 0.5

	// lossy is the share of endpoints' time lost (lostShare) from which prompts are held though new ones would hardly wait: what is lost
	// then makes others lose, and queues of small prompts are short.
	lossy = 0.1

	// lasting is how long something must have been so, in ns (lasts): a burst is over sooner.
	lasting = 5e9

	// mostNew is the share of a prompt's tokens that must be computed anew where it counts as new.
	mostNew = 0.5
)

// hold is whether new prompts are held.
type hold struct {
	on    bool
	since int64 // ns: since when new prompts have waited; 0: they do not
	calm  int64 // ns: since when none is held and there is room; 0: it is not so
	other int64 // ns: since when others' prompts have; 0: they do not
	short int64 // ns: since when memory is short, or prompts are held; 0: there was no decision yet
	keeps int64 // ns: as keeping, of the last update
}

// holds is the state for each group of endpoints: where they serve different models, one's memory may be short while another's is not.
type holds struct {
	all   hold       // of group 0
	parts []holdPart // of the others
}

type holdPart struct {
	group uint64
	hold
}

// mostParts bounds those groups whose state is kept. One beyond it begins anew, and with it all.
const mostParts = 64

// find is the state for a group, valid until the next call of of; nil: it has none.
func (h *holds) find(group uint64) *hold {
	if group == 0 {
		return &h.all
	}
	for i := range h.parts {
		if part := &h.parts[i]; part.group == group {
			return &part.hold
		}
	}
	return nil
}

// of is the state for a group, valid until the next call.
func (h *holds) of(group uint64) *hold {
	if of := h.find(group); of != nil {
		return of
	}
	if len(h.parts) == mostParts {
		h.parts = h.parts[:0]
	}
	h.parts = append(h.parts, holdPart{group: group})
	return &h.parts[len(h.parts)-1].hold
}

// any says whether prompts are held for any group.
func (h *holds) any() bool {
	on := h.all.on
	for i := range h.parts {
		on = on || h.parts[i].on
	}
	return on
}

// Holding says whether new prompts were held for a group of endpoints at the last decision.
func (r *Router) Holding(group uint64) bool {
	h := r.view.holds.find(group)
	return h != nil && h.on
}

// Waits is what waits at the gateways for a group of endpoints: requests at this worker, and what does elsewhere.
type Waits struct {
	Here      int
	Elsewhere queue.Hold
}

// update says whether new prompts are to be held: from when memory is full, and prompts have waited for a while, or others hold some; until
// none has been held here and there has been room again for as long, or so little is live that it is not for memory that they wait. Of
// several workers and gateways, each with its own few prompts, those that have none would else send theirs past the others'.
func (h *hold) update(v *view, waits *Waits) bool {
	s := &v.shares
	h.keeps = v.keeping()
	switch {
	case lasts(&h.other, v.pool.OthersWaiting() >= 1 && v.pool.ShownCompany() < others.Accompanied, v.now), s.room == 0: // one page may show prompts that are not counted here yet
		h.on, h.since = false, 0
	case h.on || s.size > 1 && waits.Elsewhere.Requests > 0:
		calm := s.live < v.roomy()*s.room && (waits.Here == 0 || s.live < calmBelow*s.room)
		h.on, h.since = !lasts(&h.calm, calm, v.now), 0
	default:
		wait := s.size > 1 && s.live > half*s.room && (h.since != 0 || s.live >= full*s.room) &&
			(v.lostShare() >= lossy || v.delay() >= queued) // it passes over all endpoints
		h.on, h.calm = lasts(&h.since, wait, v.now) && s.live >= full*s.room, 0
	}
	if h.on || s.live > half*s.room {
		v.pool.MemoryFills(v.now)
	}
	v.pool.KeepUsed(v.holds.any()) // else what is in use waits at endpoints, too, and holds nothing there yet
	return h.on
}

// lasts says whether something that is so, or not, has been so for a while. since is when it began, in ns; 0: it is not so.
func lasts(since *int64, is bool, now int64) bool {
	switch {
	case !is:
		*since = 0
	case *since == 0 || *since > now:
		*since = max(now, 1)
	}
	return is && now-*since >= lasting
}

// Crowded says whether memory may be short at a group of endpoints (pool.Pool.Group): it is as of the last decision, where that was for
// these. waits is what waits for them already.
func (r *Router) Crowded(group uint64, waits *Waits) bool {
	_, is := r.chosen.(*cacheAware)
	return is && (group != r.view.group || r.view.hold.update(&r.view, waits))
}

// Holds says whether req is to wait until an endpoint has room for tokens more, where memory is short. waits is what waits for its group
// already. d's memory is used.
func (r *Router) Holds(req *decision.Request, d *decision.Decision, waits *Waits) (tokens float64, wait bool) {
	v := &r.view
	d.Reset(r.name)
	switch {
	case req.Prompt != nil:
		v.pool.Prepare(&d.Flight, req.Prompt, req.Tenant, req.Length)
	case req.Length == 0:
		return 0, false
	default: // servers may read what is not read here, and it takes their memory as well
		d.Tokens = v.pool.TokensOf(req.Length)
	}
	v.look(req.Now, req.Model, d)
	most, _ := v.holders()
	tokens = d.Uncached(int(most))
	if on := v.hold.update(v, waits); !on || tokens < mostNew*d.Tokens {
		return 0, false
	}
	ahead := v.pool.AtGateways.Ahead(waits.Elsewhere.Group, queue.Turn{Size: queue.SizeOf(tokens), Since: req.Now})
	return tokens, waits.Here > 0 || v.rooms(tokens, ahead+1) <= ahead
}

// Rooms is how many endpoints have room for a request that waits for so many tokens, up to most. d's memory is used.
func (r *Router) Rooms(req *decision.Request, d *decision.Decision, tokens float64, waits *Waits, most int) int {
	v := &r.view
	d.Reset(r.name)
	v.look(req.Now, req.Model, d)
	if !v.hold.update(v, waits) {
		return most
	}
	return v.rooms(tokens, most)
}
