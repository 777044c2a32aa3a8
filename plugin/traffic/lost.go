package traffic

import (
	"warmroute/plugin/models"
	"warmroute/plugin/recent"
)

// Lost is the time that endpoints have spent on computing again what had been computed a short time before (pool.Return's since), because
// caches had lost it.
type Lost struct {
	by      []float64 // seconds of each endpoint for this worker's responses, each weighing e^(−age ÷ lostSpan)
	others  []float64 // of each endpoint the share of its time, for those of other workers and gateways
	seconds float64   // of all endpoints: the sum of by
	shares  float64   // that of others
	at      int64     // ns: when a response was last counted
	since   int64     // ns: when the first one was
}

const lostSpan = 60e9 // ns

// lostLeast is the seconds below which an endpoint has lost none: the smallest numbers there are take a hundred times as long to multiply.
const lostLeast = 1e-9

// Grow makes room for one more endpoint.
func (l *Lost) Grow() { l.by, l.others = append(l.by, 0), append(l.others, 0) }

// Own is the share of endpoint i's time that it lost for this worker's responses.
func (l *Lost) Own(i int, now int64) float64 { return l.part(l.by[i], now) }

// Note counts so many seconds that endpoint i has lost for a response. It has lost no more than all of its time, whatever its responses say.
func (l *Lost) Note(i int, seconds float64, now int64) {
	if l.since == 0 || l.since > now { // the clock was set back: what was lost is not of the time since
		clear(l.by)
		l.seconds, l.at, l.since = 0, 0, max(now-int64(seconds*1e9), 1)
	}
	faded := recent.Since(l.at, now, lostSpan)
	for j := range l.by {
		if l.by[j] *= faded; l.by[j] < lostLeast {
			l.by[j] = 0
		}
	}
	seconds = min(seconds, max(l.seen(now)*(lostSpan/1e9)-l.by[i], 0))
	l.by[i] += seconds
	l.seconds, l.at = float64(l.seconds*faded)+seconds, now
}

// Time is how many endpoints' whole time goes into computing again what had been computed lately: over about the last minute, or since
// the first response; of those that serve a model, or of all for nil. It is rather too low: of an earlier answer, which its endpoint's cache
// held as well, nothing is known.
func (l *Lost) Time(servers *models.Servers, now int64) float64 {
	if servers == nil {
		return l.part(l.seconds, now) + l.shares
	}
	seconds, shares := 0.0, 0.0
	for i := range l.by {
		if l.by[i]+l.others[i] > 0 && servers.Has(i) {
			seconds, shares = seconds+l.by[i], shares+l.others[i]
		}
	}
	return l.part(seconds, now) + shares
}

// SetOthers sets an endpoint's share for others' responses.
func (l *Lost) SetOthers(i int, share float64) {
	l.shares = max(l.shares+share-l.others[i], 0)
	l.others[i] = share
}

// Forget drops what an endpoint has lost.
func (l *Lost) Forget(i int) {
	l.seconds = max(l.seconds-l.by[i], 0)
	l.by[i] = 0
	l.SetOthers(i, 0)
}

// part is so many seconds, as of the last response, in those that have gone by.
func (l *Lost) part(seconds float64, now int64) float64 {
	if l.since == 0 || seconds == 0 {
		return 0
	}
	seen := l.seen(now)
	if seen <= 0 { // the first response has just come, or the clock was set back
		return 0
	}
	return seconds * recent.Since(l.at, now, lostSpan) / (lostSpan / 1e9 * seen)
}

// seen is what all the time since the first response weighs, ÷ lostSpan.
func (l *Lost) seen(now int64) float64 { return 1 - recent.Since(l.since, now, lostSpan) }
