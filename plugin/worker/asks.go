package worker

import (
	"strings"

	"warmroute/plugin/gossip"
	"warmroute/plugin/news"
)

// Asks are those of other gateways that wait until there is something to tell. Whoever has it calls Woken when Arm's queue wakes it,
// and Tick at each tick; each asks to answer some by the ids they were kept under.
type Asks struct {
	Others  int                            // gateways that ask; below 2: one
	Answers float64                        // a second, to all of them (gossip.Answers)
	Arm     func(from int64) (missed bool) // arms the queue from a time on, 0: at once (share.Arm)

	rate rate // of the requests of all pools

	list    []waitingAsk
	answers gossip.Budget
	atOnce  gossip.Budget    // of asks that may not wait
	askers  map[uint64]asker // by news.Sender
	due     []uint32
}

// waitingAsk is one of them.
type waitingAsk struct {
	id    uint32
	until int64 // ns
	late  bool  // there is something to tell, and there may be no answer yet
	once  bool  // it may not wait, and there may be no answer yet
}

// mostWaiting bounds the asks that wait: as many gateways as news are shared by.
const mostWaiting = news.MaxGateways

// mostAtOnce is how many asks a second are answered that may not wait: of a gateway that starts, one page after the other; and each interval
// where news are relayed. A gateway sends no more (gossip.Gossip).
const mostAtOnce = 400

// Patience is Worker.Patience at a time.
type Patience func(ask []byte, arm func()) (hold int64, fresh bool, fault gossip.Fault)

// Keep says whether an ask waits; if not, it is to be answered now, or refused for a fault. patience is that of each ask of its header. All of
// them come from one gateway, under one secret: if one is of no use, or has come before, so is the header.
func (q *Asks) Keep(id uint32, header string, patience Patience, now int64) (waits bool, fault gossip.Fault) {
	least, late, once := int64(0), false, false
	arm := func() { q.arm(len(q.list)+1, now) }
	rest := header
	for n := 0; rest != ""; n++ {
		if n == mostAsks {
			return false, gossip.Format
		}
		var ask string
		ask, rest, _ = strings.Cut(rest, ",")
		one := news.FromHex(ask)
		if q.replayed(one, now) {
			return false, gossip.Replayed
		}
		hold, fresh, fault := patience(one, arm)
		switch fault {
		case "", gossip.Hashing:
		case gossip.NoAnswer:
			return false, "" // no pool shares news, which the answer says
		default:
			return false, fault
		}
		if q.note(one, now); fault != "" {
			continue // there is no such pool, which does not keep the others' asks from waiting
		}
		late, once = late || fresh, once || hold == 0
		if least == 0 || hold < least {
			least = hold
		}
	}
	once = once || least == 0
	switch full := len(q.list) == mostWaiting; {
	case header == "":
		return false, ""
	case (once || full) && q.atOnce.Take(now, mostAtOnce):
		return false, ""
	case full:
		return false, gossip.NoAnswer
	case !once && late && q.may(len(q.list)+1, now):
		return false, ""
	}
	q.list = append(q.list, waitingAsk{id, now + least, late, once})
	return true, ""
}

// Drop forgets an ask whose asker has left.
func (q *Asks) Drop(id uint32) {
	q.take(func(a *waitingAsk) bool { return a.id == id })
}

// Woken is the asks to answer because there is something to tell, as many as may be now. The list is valid until the next call.
func (q *Asks) Woken(now int64) []uint32 {
	asks := len(q.list)
	due := q.take(func(a *waitingAsk) bool {
		a.late = true
		return !a.once && q.may(asks, now)
	})
	if len(q.list) > 0 {
		q.arm(asks, now)
	}
	return due
}

// arm lets the next event wake this worker. What came when it might not answer yet is told as soon as it may.
//
//go:noinline
func (q *Asks) arm(asks int, now int64) {
	from := q.answers.From(now, q.answersTo(asks))
	if from <= now {
		from = 0 // the same at each tick, so that nothing is written anew
	}
	if q.Arm != nil && q.Arm(from) {
		for i := range q.list {
			q.list[i].late = true
		}
	}
}

// may says whether one more of so many asks may be answered now.
//
//go:noinline
func (q *Asks) may(asks int, now int64) bool { return q.answers.Take(now, q.answersTo(asks)) }

// answersTo is the answers a second to so many asks. What a gateway may answer is divided among the gateways that ask, wherever their asks wait.
func (q *Asks) answersTo(asks int) float64 {
	return q.Answers * min(float64(asks)/float64(max(q.Others, 1)), 1)
}

// Tick is the asks to answer because they have waited long enough, or because there may be answers again.
func (q *Asks) Tick(now int64) []uint32 {
	asks := len(q.list)
	if asks > 0 {
		q.arm(asks, now)
	}
	return q.take(func(a *waitingAsk) bool {
		if a.once {
			return q.atOnce.Take(now, mostAtOnce)
		}
		return now >= a.until || a.late && q.may(asks, now)
	})
}

//go:noinline
func (q *Asks) take(wanted func(a *waitingAsk) bool) []uint32 {
	q.due = q.due[:0]
	kept := q.list[:0]
	for _, a := range q.list {
		if wanted(&a) {
			q.due = append(q.due, a.id)
		} else {
			kept = append(kept, a)
		}
	}
	q.list = kept
	return q.due
}

// Heed sets how many gateways ask, and how often they may be answered, by what the workers' proxy routes.
//
//go:noinline
func (q *Asks) Heed(now int64, workers ...*Worker) {
	given := 0.0
	q.Others = 0
	for _, w := range workers {
		for _, p := range w.pools {
			if p.known != nil {
				q.Others = max(q.Others, p.known.OtherGateways())
				given += p.known.ProxyRequests(now)
			}
		}
	}
	q.Answers = gossip.Answers(q.rate.of(given, now), q.Others)
}

// Patience is how long an ask for the news of a pool may be kept, in nanoseconds; 0: it is to be answered now. fresh says that there
// is something to tell; arm is called before that is looked at. Hashing: the worker has no such pool.
func (w *Worker) Patience(ask []byte, arm func(), now int64) (hold int64, fresh bool, fault gossip.Fault) {
	fault = gossip.NoAnswer
	for _, p := range w.pools {
		if g := p.Gossip(); g != nil {
			if hold, fresh, fault = g.Patience(ask, arm, now); fault != gossip.Hashing {
				break
			}
		}
	}
	return hold, fresh, fault
}
