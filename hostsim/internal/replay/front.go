package replay

import (
	"fmt"
	"math"
	"time"

	"warmroute/hostsim/internal/vllm"
)

// FrontEnd is the time of one core that a request takes outside its replica's engine: client, proxy, HTTP server, tokenizer. A
// replica's is one process: it does one thing after the other, beside the engine.
type FrontEnd struct {
	Request time.Duration // before the scheduler sees the request
	Token   time.Duration // for each token of its answer, before the client sees the token
}

func (f *FrontEnd) check() error {
	if f.Request < 0 || f.Token < 0 {
		return fmt.Errorf("front end: %v or %v is below 0", f.Request, f.Token)
	}
	return nil
}

// front is the work that a replica's front end has under way and to do.
type front struct {
	jobs  []job
	left  float64 // ns that the first still takes, alone on a core
	since int64   // when left was true
	slow  float64 // cores shared: that many times as long
}

// job is a request on its way in, or an event on its way out.
type job struct {
	request *vllm.Request
	event   vllm.Event
	work    float64 // ns
}

func (f *front) busy() bool { return len(f.jobs) > 0 }

// next is when the first job is done, rounded up.
func (f *front) next() (int64, bool) {
	if !f.busy() {
		return 0, false
	}
	return f.since + int64(math.Ceil(f.left*f.slow)), true
}

// share changes how slow it is, from now on.
func (f *front) share(now int64, slow float64) {
	if f.busy() {
		f.left = max(0, f.left-float64(now-f.since)/f.slow)
	}
	f.since, f.slow = now, slow
}

func (f *front) take(now int64, j job) {
	if f.jobs = append(f.jobs, j); len(f.jobs) == 1 {
		f.left, f.since = j.work, now
	}
}

// done returns a job that is done by now; false: none is.
func (f *front) done(now int64) (job, bool) {
	if at, busy := f.next(); !busy || at > now {
		return job{}, false
	}
	first := f.jobs[0]
	if f.jobs = f.jobs[1:]; f.busy() {
		f.left, f.since = f.jobs[0].work, now
	}
	return first, true
}

// pass goes on with what the front ends are through with.
func (r *run) pass() error {
	for i := range r.fronts {
		for {
			j, ok := r.fronts[i].done(r.now)
			if !ok {
				break
			}
			if j.request == nil {
				r.happen(j.event)
			} else if err := r.queue(i, *j.request); err != nil {
				return err
			}
		}
	}
	return nil
}

// answer shows the client what replica i did, by its front end.
func (r *run) answer(i int, e vllm.Event) {
	work := float64(r.FrontEnd.Token)
	if e.Kind == vllm.Finished || e.Kind == vllm.Preempted {
		work = 0 // the last token came with an event of its own
	}
	if r.FrontEnd.Token == 0 {
		r.happen(e)
		return
	}
	r.fronts[i].take(r.now, job{event: e, work: work})
}

// share divides the cores among the replicas that do something: processor sharing. What a replica has is divided once more
// between its engine and its front end, if both work.
func (r *run) share() {
	active := 0.0
	for i, e := range r.replicas {
		if e.Busy() || r.fronts[i].busy() {
			active++
		}
	}
	for i, e := range r.replicas {
		slow := max(1, active/r.Cores)
		if e.Busy() && r.fronts[i].busy() {
			slow = max(1, 2*active/r.Cores)
		}
		e.Share(r.now, slow)
		r.fronts[i].share(r.now, slow)
	}
}
