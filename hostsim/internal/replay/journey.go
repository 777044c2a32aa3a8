package replay

import (
	"container/heap"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"warmroute/hostsim/internal/router"
	"warmroute/hostsim/internal/vllm"
)

// journey is one request's way through gateway and replica.
type journey struct {
	index   int
	replica int
	at      int64 // ns: when it came
	first   int64 // ns: when its client had the first token, or could have had it if its answer is whole
	held    bool  // at the gateway, for a while
	far     bool  // in another zone than the gateway
	whole   bool  // its answer is not streamed
	ticket  router.Ticket
	// decision is what was decided, before the answer; kept under Options.Detail
	decision string
	record   vllm.Record
}

// passed is the reason that is given for requests that are not steered.
const passed = "passed"

// arrive shows a request to a gateway, and sends it where that says unless it is held.
func (r *run) arrive(index int) error {
	gateway, worker := r.rng.IntN(len(r.gateways)), r.rng.IntN(r.Workers)
	m, err := r.works.take(index)
	if err != nil {
		return fmt.Errorf("request %d: %w", index, err)
	}
	defer r.works.give(m)
	work, shown := m.work, m.shown
	if r.Trace.Requests[index].Body != nil {
		r.repeats.add(&work, r.Profile.BlockSize)
	}
	if r.heard {
		shown.Blocks = r.promptBlocks(&work)
	}
	if r.NameSessions {
		shown.Headers = [][2]string{{sessionHeader, strconv.Itoa(r.Trace.Requests[index].Session)}}
	}
	ticket, err := r.gateways[gateway].Begin(worker, &shown)
	if err != nil {
		return fmt.Errorf("request %d: %w", index, err)
	}
	r.came++
	j := &journey{index: index, at: r.now, ticket: ticket}
	r.await(j)
	if j.held = router.Held(ticket); j.held {
		r.held[ticket] = func() error { return r.send(j, gateway, work) }
		return nil
	}
	return r.send(j, gateway, work)
}

// free sends the requests that a gateway holds no longer.
func (r *run) free(g router.Engine) error {
	h, may := g.(router.Holder)
	if !may || len(r.held) == 0 {
		return nil
	}
	for _, t := range h.Freed() {
		send, waits := r.held[t]
		if !waits {
			continue // its client has hung up
		}
		delete(r.held, t)
		if err := send(); err != nil {
			return err
		}
	}
	return nil
}

// send sends a request where its gateway says.
func (r *run) send(j *journey, gateway int, work vllm.Request) error {
	index, ticket, to := j.index, j.ticket, r.plan.of(&r.Trace.Requests[j.index])
	reason := passed
	if endpoints := ticket.Endpoints(); len(endpoints) > 0 {
		var known bool
		if j.replica, known = r.byName[endpoints[0]]; !known {
			return fmt.Errorf("request %d: steered to %q, which is no replica: a replay takes the steering target endpoint", index, endpoints[0])
		}
		var err error
		if j.replica, err = r.toRank(ticket, j.replica); err != nil {
			return fmt.Errorf("request %d: %w", index, err)
		}
		if to != nil && (j.replica < to.from || j.replica >= to.to) {
			return fmt.Errorf("request %d for %s: steered to %q, which does not serve it", index, to.maker.Model, endpoints[0])
		}
		if !r.there[j.replica] {
			j.replica = r.anyThere()
		}
		decision := ticket.Decision()
		_, reason, _ = strings.Cut(decision, "reason=")
		reason, _, _ = strings.Cut(reason, ";")
		if r.Detail {
			j.decision = decision
		}
	} else if to != nil {
		j.replica = to.from + r.rng.IntN(to.to-to.from)
	} else if r.changing() {
		j.replica = r.anyThere()
	} else {
		server := r.rng.IntN(len(r.replicas) / r.perServer()) // as a proxy without a choice of its own
		j.replica, _ = r.toRank(ticket, server*r.perServer())
	}
	r.reasons[reason]++
	work.ID, j.whole = uint64(index), work.Whole
	r.under[work.ID] = j
	if j.far = r.Zones.far(gateway, j.replica); j.far && r.Zones.Delay > 0 {
		r.cross(func() error { return r.submit(&work) })
		return nil
	}
	return r.submit(&work)
}

// submit hands a request to its replica, unless its client has hung up.
func (r *run) submit(work *vllm.Request) error {
	j := r.under[work.ID]
	if j == nil {
		return nil
	}
	if r.FrontEnd.Request == 0 {
		return r.queue(j.replica, *work)
	}
	r.fronts[j.replica].take(r.now, job{request: work, work: float64(r.FrontEnd.Request)})
	return nil
}

// queue hands a request to a replica's scheduler.
func (r *run) queue(replica int, work vllm.Request) error {
	j := r.under[work.ID]
	if j == nil {
		return nil
	}
	if a, at := r.Hole.of(r, j); at {
		r.deny(j, a)
		return nil
	}
	switch err := r.replicas[replica].Submit(r.now, work); {
	case errors.Is(err, vllm.ErrTooLong): // a server answers 400
		router.Answer(j.ticket, r.addressOf(replica), 400, "application/json", []byte(`{"error":{"code":400}}`))
		r.rejected++
		delete(r.under, work.ID)
		r.end(j.index)
	case err != nil:
		return fmt.Errorf("request %d: %w", j.index, err)
	}
	return nil
}

// happen takes what a replica sends.
func (r *run) happen(e vllm.Event) {
	if j := r.under[e.Record.ID]; j != nil && j.far && r.Zones.Delay > 0 {
		r.cross(func() error {
			r.tell(e)
			return nil
		})
		return
	}
	r.tell(e)
}

// cross lets something arrive in another zone.
func (r *run) cross(arrive func() error) { r.transit.Send(r.now+int64(r.Zones.Delay)/2, arrive) }

// tell tells the gateway what its replica sent. Where that takes a way, the record's times become those that the gateway sees.
func (r *run) tell(e vllm.Event) {
	j := r.under[e.Record.ID]
	if j == nil {
		return
	}
	switch e.Kind {
	case vllm.FirstToken:
		j.first = r.now
		if j.whole {
			return
		}
		j.ticket.Headers(r.addressOf(j.replica), 200, "text/event-stream")
		j.ticket.Chunk(firstChunk, false)
	case vllm.Finished:
		if j.whole {
			router.Answer(j.ticket, r.addressOf(j.replica), 200, "application/json", r.wholeAnswer(e.Record))
		} else {
			j.ticket.Chunk(r.lastChunk(e.Record), true)
		}
		j.ticket, j.record = nil, *e.Record
		if r.FrontEnd != (FrontEnd{}) || j.far || j.held {
			j.record.Queued, j.record.First, j.record.Final = j.at, j.first, r.now
		}
		if r.patience[j.index] == 0 {
			r.served[j.index] = *j
		}
		delete(r.under, e.Record.ID)
		r.end(j.index)
	}
}

// end counts a request's end and lets those come that waited for it.
func (r *run) end(index int) {
	r.finished++
	for _, next := range r.waiting[index] {
		heap.Push(&r.arrivals, arrival{r.now + int64(float64(r.Trace.Requests[next].Think)/r.Speed), next})
	}
	if r.limit != nil {
		if next := r.limit.leave(index); next >= 0 {
			heap.Push(&r.arrivals, arrival{r.now, next})
		}
	}
	if r.Progress != nil {
		r.Progress(r.finished, len(r.served))
	}
}

// address is a replica's: a host of its own, or one for all that share cores.
func (o *Options) address(replica int) string {
	if o.Cores > 0 {
		return fmt.Sprintf("127.0.0.1:%d", 8101+replica) // as examples/vllm-cpu has them
	}
	return fmt.Sprintf("10.0.%d.%d:8000", replica/256, replica%256)
}
