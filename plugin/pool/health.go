package pool

import (
	"warmroute/plugin/models"
	"warmroute/plugin/recent"
)

// The health of an endpoint is one number: the share of failures among its last few responses, smoothed. Two connections in
// a row that were refused put the endpoint down, or failures of several requesters (health_blame.go). Then it gets one request at a time as a probe, after 1 s, 2 s,
// 4 s… up to a minute; the first good response brings it back with a clean record. How long requests take does not count:
// the queue and the learned rate show that. Nor does a time-out: the replica was slow, or the route's time-out short. Tick
// finds endpoints that have stopped altogether (health_hang.go).

// Ending is how a request ended at its endpoint.
type Ending uint8

// The endings.
const (
	Answered  Ending = iota // a whole response, with a status below 500
	Cancelled               // the client left: it says nothing of the endpoint
	Failed                  // a response with a status of 500 or above, or a connection cut before it
	Refused                 // no connection
	TimedOut                // no response in time
	Broken                  // the response stopped before its end

	tried // it failed in some way, and the proxy tried the next endpoint
)

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

// EndingOf is the ending for a response's status: 5xx is a failure of the endpoint, every other status is Answered. The
// proxy's own 502, 503 and 504 (no connection, no response in time) count alike.
func EndingOf(status int) Ending {
	switch {
	case status == 504:
		return TimedOut
	case status == 502 || status == 503:
		return Refused
	case status >= 500:
		return Failed
	}
	return Answered
}

type health struct {
	failing  float64 // share of failures, 0 to 1
	down     bool
	from     int64   // when it went down
	pause    int64   // before the next probe
	probeAt  int64   // when it is due
	probing  bool    // a probe is in flight
	progress int64   // when something last came from it, or its use of memory changed
	moved    int64   // when a first token, a response or an error last came
	sent     int64   // when the first request since then was sent, or memory changed after it; 0: none
	work     float64 // prompt tokens that were queued when it was sent, its own included
	tries    int     // requests sent since then that their clients did not cancel
	hung     bool    // it is down because it hangs
	failed   bool    // it is down because of failures whose cause is not known
	judged   int64   // when failing last changed
	lived    int64   // the last sign of life
	spell    spell
	blames   *blames // nil: none has failed
}

// Down says whether endpoint i has failed and not yet responded again, or discovery reports it as out.
func (p *Pool) Down(i int) bool { return p.ends[i].health.down || p.ends[i].out() }

// Failing is the share of requests that are expected to fail at endpoint i, 0 to 0.95: the share among its last responses,
// which fades as they grow old. Without the fading, one failure would keep away the requests that could disprove it.
func (p *Pool) Failing(i int, now int64) float64 {
	h := &p.ends[i].health
	if h.failing == 0 {
		return 0
	}
	h.judged = min(h.judged, now) // the clock may have been set back
	failing := min(h.failing*recent.Since(h.judged, now, forgiveSpan), 0.95)
	if failing < forgotten {
		return 0
	}
	return failing
}

// Probe is the endpoint of these servers that is due for a probe, −1 if none is. The next request for their model should go there: a request
// that Begin counts at an endpoint that is down is a probe. If its end is never reported, another probe follows after the pause. One of
// another model, for which no request may come, keeps none from being tried.
func (p *Pool) Probe(servers *models.Servers, now int64) int {
	for i := range p.ends {
		if e := &p.ends[i]; e.health.down && servers.Has(i) && !e.draining && !e.out() && !e.gone &&
			(now >= e.health.probeAt || e.health.probeAt-now > e.health.mostPause()) { // the clock was set back since
			return i
		}
	}
	return -1
}

// probed records that a request goes to the endpoint although it is down.
func (h *health) probed(now int64) {
	if h.down {
		if h.probing { // the one before has shown nothing in its time
			h.pause = min(h.pause*2, h.mostPause())
		}
		h.probing = true
		h.probeAt = now + h.pause
	}
}

// judge updates the endpoint's health by the ending of a request of that requester. An endpoint that goes down because it
// refuses is assumed to come back with an empty cache. A server that refuses, or whose request the proxy tried elsewhere, does so for all of
// its data-parallel ranks: they are one process to the proxy.
func (p *Pool) judge(i int, now int64, how Ending, who Blame) {
	p.judgeOne(i, now, how, who)
	if p.ranked && (how == Refused || how == tried) {
		p.judgeOtherRanks(i, now, how, who)
	}
}

// judgeOtherRanks is apart from judge, which each request calls: what a closure takes with it is allocated where its function begins.
func (p *Pool) judgeOtherRanks(i int, now int64, how Ending, who Blame) {
	p.EachRank(i, func(j int, _ string) {
		if j != i {
			p.judgeOne(j, now, how, who)
		}
	})
}

func (p *Pool) judgeOne(i int, now int64, how Ending, who Blame) {
	p.touch(i)
	h := &p.ends[i].health
	switch how {
	case Cancelled:
		if h.hung {
			h.backOff(now)
		}
		h.probing = false
		return
	case TimedOut:
		h.backOff(now)
		return
	case Answered:
		if h.down && (h.probing || h.hung) { // where it failed, responses to requests from before prove nothing
			p.back(i, now)
		}
		h.shows(now)
		h.lives(now)
		h.failing = p.Failing(i, now) * (1 - goodWeight)
		h.judged = now
		return
	}
	h.shows(now)
	if how == Refused || how == Failed { // it does not hang any more: it may be starting anew
		h.hung, h.pause = false, min(h.pause, mostPause)
	}
	var out bool
	if how == Refused {
		h.failing += (1 - h.failing) * lossWeight
		h.judged = now
		out = h.failing >= downAt
	} else {
		out = p.fail(i, now, who)
	}
	if h.down || !out {
		h.backOff(now)
		return
	}
	h.down, h.from, h.failed, h.pause = true, now, how != Refused, firstPause
	h.probeAt = now + h.pause
	if how == Refused || how == tried {
		p.EmptyCache(i, now)
	}
}

// back brings endpoint i back with a clean record. What is not answered yet stays so.
func (p *Pool) back(i int, now int64) {
	h := &p.ends[i].health
	*h = health{progress: h.progress, moved: h.moved, sent: h.sent, work: h.work, tries: h.tries, blames: h.blames}
	p.touch(i)
	p.admit(i, false, now)
}

// mostPause is the longest time between two probes.
func (h *health) mostPause() int64 {
	if h.hung {
		return mostHungPause
	}
	return mostPause
}

// backOff records that a probe, if one is in flight, has not brought the endpoint back.
func (h *health) backOff(now int64) {
	if h.down && h.probing {
		h.probing = false
		h.pause = min(h.pause*2, h.mostPause())
		h.probeAt = now + h.pause
	}
}
