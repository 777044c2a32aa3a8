package replay

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// HangUps says that some clients do not wait for the end of their answers: their requests are aborted. They count in no time, also where an answer
// ends before: times are of the same requests, whatever the policy. The zero HangUps is that all wait.
type HangUps struct {
	Share float64       // of the requests, 0 to 1
	After time.Duration // the mean of the time after which they do, where the answer has not ended before; it is distributed exponentially
}

// Check says what is out of range.
func (h *HangUps) Check() error {
	if !(h.Share >= 0 && h.Share <= 1) {
		return fmt.Errorf("hang-ups: a share of %v is not within 0 to 1", h.Share)
	}
	if h.Share > 0 && h.After <= 0 {
		return fmt.Errorf("hang-ups: clients that hang up after %v: it must be above 0", h.After)
	}
	return nil
}

// draw is after how many ns each of n requests' clients hangs up, the same for all policies; 0: never.
func (h *HangUps) draw(n int, seed uint64) []int64 {
	after, rng := make([]int64, n), rand.New(rand.NewPCG(seed, 5))
	for i := range after {
		if rng.Float64() < h.Share {
			after[i] = 1 + int64(rng.ExpFloat64()*float64(h.After))
		}
	}
	return after
}

// await has a request's client hang up in its time.
func (r *run) await(j *journey) {
	if after := r.patience[j.index]; after > 0 {
		r.hangUps.Send(r.now+after, func() error {
			r.hangUp(j)
			return nil
		})
	}
}

// hangUp ends a request without an answer, unless it has ended.
func (r *run) hangUp(j *journey) {
	id := uint64(j.index)
	_, held := r.held[j.ticket]
	if r.under[id] != j && !held {
		return
	}
	delete(r.held, j.ticket)
	delete(r.under, id)
	r.abort(j.replica, id)
	j.ticket.Cancel()
	r.hungUp++
	r.end(j.index)
}

// abort drops a request that a replica's engine has, or has had: what is on its way there, or back, meets nobody.
func (r *run) abort(replica int, id uint64) {
	r.replicas[replica].Abort(r.now, id)
	for _, f := range r.former {
		f.engine.Abort(r.now, id)
	}
}
