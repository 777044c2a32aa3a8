package health

// A slow endpoint is not a dead one: its queue shows how slow it is, and policies decide by that. If it were taken out of
// use, its sessions would go to other endpoints, which would compute their prompts again; that is more load, and the next
// endpoint becomes slow (docs/notes.md, "Health").
//
// An endpoint hangs if no first token, response or error has come from it for hangTimes as long as its queued work should
// take at the rate that it has shown, and its use of KV memory has not changed (an engine takes blocks at each step), while at
// least half of the other endpoints that had requests have responded. One request is not enough: its client may delay the upload,
// and then the endpoint's metrics show no request. At most hangShare of the pool, but always at least one endpoint, may be out for
// this reason at a time, as with Envoy's max_ejection_percent, whose default this is. Whatever good comes from it brings it back.

const (
	hangTimes = 10
	hangLeast = 6.0 // seconds: the least that queued work is taken to need, so a minute of silence at least
	hangTries = 2
	hangShare = 0.1

	// Unshown is the least seconds that a prompt token is taken to need where an endpoint has not shown its speed: a 32B model
	// on four small cards, say.
	Unshown = 1e-3

	// mostHungPause is the longest time between two probes of an endpoint that hangs: each may have to wait for all before it.
	mostHungPause = int64(960e9)
)

// Sent records that the whole of a request was sent to endpoint i whose first token will show; work is the prompt tokens then queued there,
// its own included. As long as its client holds back a part of it, the endpoint owes nothing.
func (e *Endpoints) Sent(i int, now int64, work float64) {
	u := &e.list[i].unanswered
	if u.sent == 0 {
		u.sent, u.work = now, work
	}
	u.tries++
}

// Left records that the client of a request that was sent then left, or that the proxy sent it elsewhere. A request from before
// the last sign of life is no longer among the tries, nor is one with a first token, which was such a sign.
func (e *Endpoints) Left(i int, sent int64) {
	u := &e.list[i].unanswered
	if sent <= u.moved {
		return
	}
	if u.tries = max(u.tries-1, 0); u.tries == 0 {
		u.sent, u.work = 0, 0
	}
}

// shows records that a first token, a response or an error came.
func (u *unanswered) shows(now int64) { u.progress, u.moved, u.sent, u.tries = now, now, 0, 0 }

// Computes records that the use of memory at endpoint i has changed. The silence starts anew, but what was sent is still not
// answered: its own first blocks may be the change, and the last one.
func (e *Endpoints) Computes(i int, now int64) (change Change) {
	r := &e.list[i].record
	if r.hung {
		change = r.back()
	}
	r.progress = now
	if r.tries > 0 {
		r.sent = now
	}
	return change
}

// Silence is since when nothing has come from endpoint i though requests were sent there, and the prompt tokens that were queued then; 0: it
// is not silent.
func (e *Endpoints) Silence(i int) (since int64, work float64) {
	u := &e.list[i].unanswered
	if u.tries < hangTries {
		return 0, 0
	}
	return u.sent, u.work
}

// Leapt begins each silence anew: the time that it seems to have lasted has not passed, or nobody could listen.
func (e *Endpoints) Leapt(now int64) {
	for i := range e.list {
		if u := &e.list[i].unanswered; u.sent != 0 {
			u.sent = now
		}
	}
}

// MayHang is how many more endpoints may be taken out of use for that.
func (e *Endpoints) MayHang() int {
	out := 0
	for i := range e.list {
		if r := &e.list[i].record; r.down && r.hung {
			out++
		}
	}
	return max(int(hangShare*float64(e.size)), 1) - out
}

// Hang takes endpoint i out of use, until a probe is answered, if it hangs: if its silence is too long for work that should take so many
// seconds.
func (e *Endpoints) Hang(i int, seconds float64, now int64) bool {
	r := &e.list[i].record
	if !e.Serving(i) || float64(now-r.sent)/1e9 <= hangTimes*max(seconds, hangLeast) || !e.othersMove(i) {
		return false
	}
	r.goDown(now)
	r.hung = true
	return true
}

// othersMove says whether at least half of the other endpoints that had requests have responded since the silence of endpoint i
// began.
func (e *Endpoints) othersMove(i int) bool {
	since, asked, moved := e.list[i].sent, 0, 0
	for j := range e.list {
		if j == i || !e.Serving(j) {
			continue
		}
		switch r := &e.list[j].record; {
		case r.progress > since:
			asked, moved = asked+1, moved+1
		case r.sent != 0:
			asked++
		}
	}
	return moved > 0 && 2*moved >= asked
}
