package pool

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

	// unshown is the least seconds that a prompt token is taken to need where an endpoint has not shown its speed: a 32B model
	// on four small cards, say.
	unshown = 1e-3

	// mostHungPause is the longest time between two probes of an endpoint that hangs: each may have to wait for all before it.
	mostHungPause = int64(960e9)
)

// noteSent records that the whole of a request was sent whose first token will show. As long as its client holds back a part of
// it, the endpoint owes nothing.
func (p *Pool) noteSent(f *Flight, now int64) {
	if f.exact && f.streams && f.sent == 0 && f.phase == waiting {
		f.sent = now
		e := &p.ends[f.endpoint]
		e.queue.Streams.Begun = min(e.queue.Streams.Begun, now) // awaitEnd
		e.health.noteSent(now, p.ownQueue(f.endpoint, now))
		p.watch(f, now)
	}
}

// noteSent records that a request was sent; work is the prompt tokens then queued at the endpoint, its own included.
func (h *health) noteSent(now int64, work float64) {
	if h.sent == 0 {
		h.sent, h.work = now, work
	}
	h.tries++
}

// noteLeft records that the client of a request that was sent then left, or that the proxy sent it elsewhere. A request from before
// the last sign of life is no longer among the tries, nor is one with a first token, which was such a sign.
func (h *health) noteLeft(sent int64) {
	if sent <= h.moved {
		return
	}
	if h.tries = max(h.tries-1, 0); h.tries == 0 {
		h.sent, h.work = 0, 0
	}
}

// shows records that a first token, a response or an error came.
func (h *health) shows(now int64) { h.progress, h.moved, h.sent, h.tries = now, now, 0, 0 }

// unhang brings endpoint i back if it was taken to hang: it does not.
func (p *Pool) unhang(i int, now int64) {
	if p.ends[i].health.hung {
		p.back(i, now)
	}
}

// computes records that the use of memory at endpoint i has changed. The silence starts anew, but what was sent is still not
// answered: its own first blocks may be the change, and the last one.
func (p *Pool) computes(i int, now int64) {
	p.unhang(i, now)
	h := &p.ends[i].health
	h.progress = now
	if h.tries > 0 {
		h.sent = now
	}
}

// ejectHung takes endpoints that hang out of use, until a probe is answered.
func (p *Pool) ejectHung(now int64) {
	present, out := 0, 0
	for i := range p.ends {
		if p.Present(i) {
			present++
		}
		if h := &p.ends[i].health; h.down && h.hung {
			out++
		}
	}
	most := max(int(hangShare*float64(present)), 1)
	for i := range p.ends {
		h := &p.ends[i].health
		if out < most && p.Serving(i) && p.silent(i, now) && p.othersMove(i) {
			h.down, h.from, h.hung, h.pause = true, now, true, firstPause
			p.touch(i)
			h.probeAt = now + h.pause
			out++
		}
	}
}

// silent says whether nothing has come from endpoint i for hangTimes as long as its queued work should take.
func (p *Pool) silent(i int, now int64) bool {
	e := &p.ends[i]
	if e.health.sent == 0 || e.health.tries < hangTries {
		return false
	}
	if m := &e.metrics; m.belief(now) > 0 && m.running+m.waiting < 1 {
		return false // the requests have not reached it: their bodies are still being uploaded
	}
	perToken, overhead := p.speeds.AtMost(i, unshown)
	seconds := max(overhead+e.health.work*perToken, hangLeast)
	return float64(now-e.health.sent)/1e9 > hangTimes*seconds
}

// othersMove says whether at least half of the other endpoints that had requests have responded since the silence of endpoint i
// began.
func (p *Pool) othersMove(i int) bool {
	since, asked, moved := p.ends[i].health.sent, 0, 0
	for j := range p.ends {
		h := &p.ends[j].health
		if j == i || !p.Serving(j) {
			continue
		}
		switch {
		case h.progress > since:
			asked, moved = asked+1, moved+1
		case h.sent != 0:
			asked++
		}
	}
	return moved > 0 && 2*moved >= asked
}
