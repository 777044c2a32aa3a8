package replay

import (
	"fmt"
	"math/rand/v2"
	"time"

	"warmroute/hostsim/internal/router"
)

// Hole is a replica that answers requests at once and computes nothing for them, because it is misconfigured or half broken; and clients
// whose requests every replica refuses so. The zero Hole is none.
type Hole struct {
	Answer  Instant
	Replica int
	From    time.Duration // since the trace's beginning
	Share   float64       // of the requests that reach it, 0 to 1
	Bad     float64       // share of sessions whose requests every replica answers with 400, 0 to 1
	Limit   int           // requests that each replica takes at a time; it answers more with 429. 0: any number
}

// Instant is an answer that takes a millisecond.
type Instant struct {
	Status int // 0: none
	Type   string
	Body   string
}

// refusal is what every replica answers to a bad request.
var refusal = Instant{400, "application/json", `{"error":{"code":400}}`}

// instantly is how long such an answer takes, in ns.
const instantly = 1e6

func (h *Hole) check(o *Options) error {
	if h.Replica < 0 || h.Replica >= o.Replicas || h.Share < 0 || h.Share > 1 || h.Bad < 0 || h.Bad > 1 {
		return fmt.Errorf("hole: replica %d of %d, share %v or %v of bad requests is out of range", h.Replica, o.Replicas, h.Share, h.Bad)
	}
	return nil
}

// of is what replica i answers to a request at once; false: it computes it.
func (h *Hole) of(r *run, j *journey) (Instant, bool) {
	session := uint64(r.Trace.Requests[j.index].Session)
	if h.Bad > 0 && rand.New(rand.NewPCG(r.Seed+session, 9)).Float64() < h.Bad {
		return refusal, true
	}
	if s := r.replicas[j.replica].Stats(); h.Limit > 0 && s.Running+s.Waiting >= h.Limit {
		return Instant{429, refusal.Type, refusal.Body}, true
	}
	if h.Answer.Status == 0 || j.replica != h.Replica || r.now < int64(h.From) {
		return Instant{}, false
	}
	return h.Answer, rand.New(rand.NewPCG(r.Seed+uint64(j.index), 10)).Float64() < h.Share
}

// deny answers a request at once.
func (r *run) deny(j *journey, a Instant) {
	r.transit.Send(r.now+instantly, func() error {
		router.Answer(j.ticket, r.addressOf(j.replica), a.Status, a.Type, []byte(a.Body))
		r.rejected++
		delete(r.under, uint64(j.index))
		j.ticket, j.record.Queued = nil, j.at
		r.served[j.index] = *j
		r.end(j.index)
		return nil
	})
}
