package pool

import (
	"warmroute/plugin/health"
	"warmroute/plugin/models"
	"warmroute/plugin/queue"
)

// Whether an endpoint is to get requests: what package health judges, and what follows from it here.

// Present says whether endpoint i is in the pool.
func (p *Pool) Present(i int) bool { return p.Health.Present(i) }

// Serving says whether endpoint i is to get its share of new requests: it is in the pool, not down and not draining.
func (p *Pool) Serving(i int) bool { return p.Health.Serving(i) }

// Probe is the endpoint of these servers that is due for a probe, −1 if none is. The next request for their model should go there. One of
// another model, for which no request may come, keeps none from being tried.
func (p *Pool) Probe(servers *models.Servers, now int64) int {
	for i := range p.ends {
		if p.Health.Due(i, now) && servers.Has(i) {
			return i
		}
	}
	return -1
}

// SetState sets what discovery reports of endpoint i: out, that it cannot serve (by a health check, for instance), and
// draining, that it is to get no new requests while other endpoints can.
func (p *Pool) SetState(i int, out, draining bool, now int64) {
	p.changed(i, p.Health.Report(i, out, draining, now), now)
}

// changed does what follows from a change of endpoint i's health.
func (p *Pool) changed(i int, change health.Change, now int64) {
	p.touch(i)
	switch change {
	case health.Back:
		p.admit(i, false, now)
	case health.Emptied:
		p.EmptyCache(i, now)
	}
}

// judge updates the endpoint's health by the ending of a request of that requester. A server that refuses, or whose request the proxy tried
// elsewhere, does so for all of its data-parallel ranks: they are one process to the proxy.
func (p *Pool) judge(i int, now int64, how health.Ending, who health.Blame) {
	p.changed(i, p.Health.Judge(i, how, who, now), now)
	if p.ranked && (how == health.Refused || how == health.Tried) {
		p.judgeOtherRanks(i, now, how, who)
	}
}

// judgeOtherRanks is apart from judge, which each request calls: what a closure takes with it is allocated where its function begins.
func (p *Pool) judgeOtherRanks(i int, now int64, how health.Ending, who health.Blame) {
	p.EachRank(i, func(j int, _ string) {
		if j != i {
			p.changed(j, p.Health.Judge(j, how, who, now), now)
		}
	})
}

// noteSent records that the whole of a request was sent whose first token will show. As long as its client holds back a part of
// it, the endpoint owes nothing; nor does one that has its index since.
func (p *Pool) noteSent(f *Flight, now int64) {
	if f.exact && f.streams && f.sent == 0 && f.phase == waiting && p.same(f) {
		f.sent = now
		line := &p.ends[f.endpoint].queue.Streams
		line.Begun = min(line.Begun, now) // awaitEnd
		p.Health.Sent(f.endpoint, now, p.ownQueue(f.endpoint, now))
		p.watch(f, now)
	}
}

// ejectHung takes endpoints that hang out of use, until a probe is answered.
func (p *Pool) ejectHung(now int64) {
	room := p.Health.MayHang()
	for i := range p.ends {
		since, work := p.Health.Silence(i)
		if since == 0 || room <= 0 {
			continue
		}
		if m := &p.ends[i].metrics; m.belief(now) > 0 && m.running+m.waiting < 1 {
			continue // the requests have not reached it: their bodies are still being uploaded
		}
		perToken, overhead := p.speeds.AtMost(i, health.Unshown)
		if p.Health.Hang(i, overhead+work*perToken, now) {
			p.touch(i)
			room--
		}
	}
}

// NoteChoice says whether the request, which Match has seen, went where it did by load or by chance. It counts if any endpoint could have had it:
// most hold as much of it as any does.
func (p *Pool) NoteChoice(f *Flight, byLoad bool) {
	n := len(p.levels)
	f.drawn = byLoad && (n == 0 || 2*int(p.levels[n-1].Holders) > p.Size())
}

// noteYield counts a request that was answered or refused, and says whether its prompt is not to be believed in the endpoint's cache: it was
// refused, or answered in less time than it takes, without a token as far as anybody can tell. An answer that its endpoint breaks off is worth no more
// than none: its first token is a sign of life, so that nothing else would ever send requests elsewhere.
func (p *Pool) noteYield(f *Flight, now int64, o *Outcome) (lost bool) {
	if !p.same(f) {
		return o.Lost
	}
	empty := o.Lost || o.Ending == health.Broken || o.PromptTokens == 0 && queue.Computed(now-f.begun-f.late, p.PerToken(f.endpoint)) < f.uncached
	if p.Health.Yields(f.endpoint, f.drawn, empty, now) {
		p.touchAll()
	}
	_, told := p.Speed() // by usage
	return o.Lost || empty && (p.Health.Barren(f.endpoint) || o.Mute && told)
}

// findBarren looks for endpoints that give no tokens where others do.
func (p *Pool) findBarren(now int64) {
	if p.Health.FindBarren(now) {
		p.touchAll()
	}
}
