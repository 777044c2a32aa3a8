package pool

import (
	"warmroute/plugin/models"
	"warmroute/plugin/recent"
)

// lost is the time that endpoints have spent on computing again what had been computed a short time before (Return's since), because
// caches had lost it.
type lost struct {
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

// noteLost counts f's response. Of its prompt, what had been computed lately is known from when it was decided (Return); and what was
// computed for it from its usage, or else, also where that says nothing of the cache, from what its endpoint was believed to hold.
func (p *Pool) noteLost(f *Flight, now int64, o *Outcome) {
	again := f.uncached - f.fresh
	if o.Usage && o.PromptTokens > 0 && !f.atypical && !f.fetched {
		computed, fresh := float64(max(o.PromptTokens-o.CachedTokens, 0)), f.fresh/max(f.Tokens, 1)
		again = computed - fresh*float64(o.PromptTokens)
		if grain := p.ends[f.endpoint].cache.grain; grain < maxGrain { // it is known: a block that is not full is not kept
			again -= float64(grain)
		}
	}
	again -= max(f.Uncached(f.Matched)-f.Uncached(f.held), 0) // another one holds that: it is a copy
	took := float64(o.whole(now) - f.begun)
	if f.first != 0 {
		took = float64(f.first - f.begun)
	}
	p.NoteLost(f.endpoint, min(max(again, 0)*p.PerToken(f.endpoint), max(took, 0)/1e9), now)
}

// NoteLost counts so many seconds that endpoint i has lost for a response. It has lost no more than all of its time, whatever its responses say.
func (p *Pool) NoteLost(i int, seconds float64, now int64) {
	l := &p.lost
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

// LostTime is how many endpoints' whole time goes into computing again what had been computed lately: over about the last minute, or since
// the first response; of those that serve a model, or of all for nil. It is rather too low: of an earlier answer, which its endpoint's cache
// held as well, nothing is known.
func (p *Pool) LostTime(servers *models.Servers, now int64) float64 {
	l := &p.lost
	if servers == nil {
		return l.time(l.seconds, now) + l.shares
	}
	seconds, shares := 0.0, 0.0
	for i := range l.by {
		if l.by[i]+l.others[i] > 0 && servers.Has(i) {
			seconds, shares = seconds+l.by[i], shares+l.others[i]
		}
	}
	return l.time(seconds, now) + shares
}

// setOthers sets an endpoint's share for others' responses.
func (l *lost) setOthers(i int, share float64) {
	l.shares = max(l.shares+share-l.others[i], 0)
	l.others[i] = share
}

// forget drops what an endpoint has lost.
func (l *lost) forget(i int) {
	l.seconds = max(l.seconds-l.by[i], 0)
	l.by[i] = 0
	l.setOthers(i, 0)
}

// time is so many seconds, as of the last response, in those that have gone by.
func (l *lost) time(seconds float64, now int64) float64 {
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
func (l *lost) seen(now int64) float64 { return 1 - recent.Since(l.since, now, lostSpan) }
