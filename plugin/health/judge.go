package health

import "warmroute/plugin/recent"

const (
	downAt      = 0.6 // share of failures from which an endpoint is down
	errorWeight = 0.3 // of one failure: 0.30, 0.51, 0.66
	lossWeight  = 0.5 // of one refused connection: 0.50, 0.75
	goodWeight  = 0.3 // of one success

	forgiveSpan = 10e9 // nanoseconds in which Failing falls to 1 ÷ e without responses
	forgotten   = 0.02 // a smaller share counts as 0

	firstPause = int64(1e9)
	mostPause  = int64(60e9)
)

// Fails says whether Failing may be above 0.
func (e *Endpoints) Fails(i int) bool { return e.list[i].failing > 0 }

// Failing is the share of requests that are expected to fail at endpoint i, 0 to 0.95: the share among its last responses,
// which fades as they grow old. Without the fading, one failure would keep away the requests that could disprove it.
func (e *Endpoints) Failing(i int, now int64) float64 { return e.list[i].failingAt(now) }

func (r *record) failingAt(now int64) float64 {
	if r.failing == 0 {
		return 0
	}
	r.judged = min(r.judged, now) // the clock may have been set back
	failing := min(r.failing*recent.Since(r.judged, now, forgiveSpan), 0.95)
	if failing < forgotten {
		return 0
	}
	return failing
}

// Judge updates endpoint i's health by the ending of a request of that requester. An endpoint that goes down because it
// refuses is assumed to come back with an empty cache.
func (e *Endpoints) Judge(i int, how Ending, who Blame, now int64) (change Change) {
	r := &e.list[i].record
	switch how {
	case Cancelled:
		if r.hung {
			r.backOff(now)
		}
		r.probing = false
		return None
	case TimedOut:
		r.backOff(now)
		return None
	case Answered:
		if r.down && (r.probing || r.hung) { // where it failed, responses to requests from before prove nothing
			change = r.back()
		}
		r.shows(now)
		r.lives(now)
		r.failing = r.failingAt(now) * (1 - goodWeight)
		r.judged = now
		return change
	}
	r.shows(now)
	if how == Refused || how == Failed { // it does not hang any more: it may be starting anew
		r.hung, r.pause = false, min(r.pause, mostPause)
	}
	var out bool
	if how == Refused {
		r.failing += (1 - r.failing) * lossWeight
		r.judged = now
		out = r.failing >= downAt
	} else {
		out = e.fail(i, now, who)
	}
	if r.down || !out {
		r.backOff(now)
		return None
	}
	r.goDown(now)
	if r.failed = how != Refused; how == Refused || how == Tried {
		return Emptied
	}
	return None
}

// FirstToken records that the first part of a response has come from endpoint i.
func (e *Endpoints) FirstToken(i int, now int64) (change Change) {
	r := &e.list[i].record
	if r.hung { // it does not
		change = r.back()
	}
	if r.shows(now); !r.down {
		r.lives(now)
	}
	return change
}

func (r *record) goDown(now int64) {
	r.down, r.from, r.pause, r.probeAt = true, now, firstPause, now+firstPause
}

// back brings an endpoint back with a clean record.
func (r *record) back() Change {
	*r = record{unanswered: r.unanswered}
	return Back
}

// lives records a sign of life: a first token, or a response below 500.
func (r *record) lives(now int64) { r.lived, r.spell = now, spell{} }
