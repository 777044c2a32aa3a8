package load

// Health of an endpoint is one number, the share of failures among its last few answers, smoothed. Three failures in a
// row, or two where nobody answered at all, put it down; then it gets one request at a time as a probe, after 1 s, 2 s,
// 4 s… up to a minute, and the first good answer brings it back with a clean record. How long requests take is not
// health: that is what the queue and the learned rate are for. Nor is a time-out: it says that the replica was slow, or the
// route's patience short. What has stopped altogether is found by Tick.

// Ending is how a request ended at its endpoint.
type Ending uint8

// The endings.
const (
	Answered  Ending = iota // an answer came, of whatever kind the client deserved
	Cancelled               // the client left: it says nothing of the endpoint
	Failed                  // an answer of 500 or above
	Refused                 // no connection, or one cut before the answer
	TimedOut                // no answer in time
	Broken                  // the answer stopped before its end
)

const (
	downAt      = 0.6 // failures among the last answers
	errorWeight = 0.3 // of one failure: 0.30, 0.51, 0.66
	lossWeight  = 0.5 // where nobody answered: 0.50, 0.75
	goodWeight  = 0.3 // of one success

	forgiveSpan = 10e9 // nanoseconds in which Failing falls to 1 ÷ e without answers
	forgotten   = 0.02 // what is less than this is taken for nothing

	firstPause = int64(1e9)
	mostPause  = int64(60e9)
)

type health struct {
	failing  float64 // share of failures, 0 to 1
	down     bool
	pause    int64   // before the next probe
	probeAt  int64   // when it is due
	probing  bool    // one is on its way
	progress int64   // when something last moved
	asked    int64   // when the first request since then was sent; 0: none
	work     float64 // prompt tokens that were queued then, its own included
	tries    int     // requests sent since then that their clients did not give up
	hung     bool    // it is down because nothing moved
	judged   int64   // when failing last changed
}

// Down says whether endpoint i has failed and not yet answered again, or is said to be out.
func (t *Table) Down(i int) bool { return t.ends[i].health.down || t.ends[i].out }

// Draining says whether endpoint i is to get no new requests.
func (t *Table) Draining(i int) bool { return t.ends[i].draining }

// Failing is the share of requests that are to be expected to fail at endpoint i, 0 to 0.95: that among its last
// answers, and less as these grow old. Otherwise one failure would keep away the answers that make up for it.
func (t *Table) Failing(i int, now int64) float64 {
	h := &t.ends[i].health
	if h.failing == 0 {
		return 0
	}
	failing := min(h.failing*fade(float64(now-h.judged)/forgiveSpan), 0.95)
	if failing < forgotten {
		return 0
	}
	return failing
}

// Probe is the endpoint that is due for a probe, −1 where none is. The next request is to go there: what Begin tells of
// an endpoint that is down is a probe. One whose end is never told is followed by another after the pause.
func (t *Table) Probe(now int64) int {
	for i := range t.ends {
		if e := &t.ends[i]; e.health.down && !e.draining && !e.out && !e.gone &&
			(now >= e.health.probeAt || e.health.probeAt-now > mostPause) { // by a clock that was set back since
			return i
		}
	}
	return -1
}

// probed notes that a request goes to the endpoint although it is down.
func (h *health) probed(now int64) {
	if h.down {
		h.probing = true
		h.probeAt = now + h.pause
	}
}

// End counts a request of endpoint i as ended. It reports whether the endpoint went down by it.
func (t *Table) End(i int, now int64, how Ending) (wentDown bool) {
	t.Release(i)
	return t.Judge(i, now, how)
}

// Judge takes an ending for the endpoint's health alone, such as that of a try before the proxy went elsewhere. It
// reports whether the endpoint went down by it.
func (t *Table) Judge(i int, now int64, how Ending) (wentDown bool) {
	h := &t.ends[i].health
	switch how {
	case Cancelled:
		h.probing = false
		h.tries = max(h.tries-1, 0)
		return false
	case TimedOut:
		h.backOff(now)
		return false
	case Answered:
		if h.down && h.probing { // answers to requests from before it went down prove nothing
			*h = health{progress: now}
			t.Join(i, now)
		}
		h.moved(now)
		h.failing = t.Failing(i, now) * (1 - goodWeight)
		h.judged = now
		return false
	case Failed, Broken:
		h.failing += (1 - h.failing) * errorWeight
	default:
		h.failing += (1 - h.failing) * lossWeight
	}
	h.moved(now)
	h.judged = now
	switch {
	case !h.down && h.failing >= downAt:
		h.down, h.pause = true, firstPause
		h.probeAt = now + h.pause
		return true
	default:
		h.backOff(now)
	}
	return false
}

// backOff notes that a probe, if one is on its way, has not brought the endpoint back.
func (h *health) backOff(now int64) {
	if h.down && h.probing {
		h.probing = false
		h.pause = min(h.pause*2, mostPause)
		h.probeAt = now + h.pause
	}
}
