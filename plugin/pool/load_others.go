package pool

import "warmroute/plugin/recent"

// uncounted is what pages of metrics have shown of requests that are not counted here (Counted): those of other gateways, which share
// nothing with this one, and of clients that go past all gateways.
//
// A page tells how many there were when it was read. If they are other gateways', these have seen it as well, have sent where it
// showed few, and go on doing so until the next page. So an endpoint's excess over the others' mean, above or below 0, counts as far as
// the same endpoint's next page has turned out to show it still: times the coefficient that least squares give for all endpoints' pages of
// the last minute or so (the first autocorrelation; Box, Jenkins, Time Series Analysis, section 2.1). What one client sends steadily to one
// endpoint counts whole. Where nobody else sends, there is no excess. To believe more of it while a page is young does not pay: where
// requests are short, all gateways send to the same endpoints in that time (docs/rule.md). Nor before a second page has come: gateways
// that start together would all send to where the first one showed few.
//
// Likewise the prompts that wait, which are put into the endpoint's queue (Queue).
type uncounted struct {
	requests, waiting lasting
	surely            float64 // prompts that wait at an endpoint, on average, even if all own requests wait as well

	// Sums over pages, each weighing e^(−age ÷ recent.Span).
	seen, counted float64 // requests that were not counted here, and that were

	at int64 // ns: the last Tick

	// Of own requests, smoothed; and as they were at the last Tick.
	sent, usual         float64 // prompt tokens to compute of one
	unseen, usualUnseen float64 // share whose responses are not streamed
}

// lasting is how much of an endpoint's excess over the mean lasts.
type lasting struct {
	mean         float64 // at an endpoint
	before, both float64 // sums as above: the square of an excess; and it times that on the page after it
	lasts        float64 // share that is still there on the next page, 0 to 1; before there is one, 0
}

// shown is what a page shows that was not counted here, and its excess over the mean when learnUncounted took the page.
type shown struct{ number, excess float64 }

// fewShown is how many requests on pages say nothing of others: a page that is read while a request of another worker is not
// yet counted here shows one too many. So a gateway that is alone and quiet does not take it for another gateway's.
const fewShown = 8

// usualWeight is the weight of one request in uncounted.sent and unseen.
const usualWeight = 0.02

// shownBy is what a page shows beyond own counts: requests, below 0 where it was read before they were counted; and of them, prompts that
// wait, as far as own streams are not those.
func (e *endpoint) shownBy(m *metrics) (requests, waiting float64) {
	requests = m.running + m.waiting - m.then
	return requests, max(min(m.waiting-float64(e.streams()), requests), 0)
}

// learnUncounted takes the pages that have come since the last time.
func (p *Pool) learnUncounted(now int64) {
	u := &p.uncounted
	was, learned := *u, false
	var requests, waiting, surely average
	for i := range p.ends {
		if m := &p.ends[i].metrics; m.belief(now) > 0 {
			requests.add(m.others.number)
			waiting.add(m.othersWaiting.number)
			surely.add(max(m.waiting-m.then, 0))
			learned = learned || m.at != m.learnedAt
		}
	}
	u.requests.mean, u.waiting.mean, u.surely = requests.mean(), waiting.mean(), surely.mean()
	faded := recent.Since(u.at, now, recent.Span)
	for _, of := range [...]*float64{&u.seen, &u.counted, &u.requests.before, &u.requests.both, &u.waiting.before, &u.waiting.both} {
		*of *= faded
	}
	u.at = now
	if learned {
		p.takePages(now)
	}
	u.usual, u.usualUnseen = u.sent, u.unseen
	if u.usualUnseen != was.usualUnseen || u.requests.differs(&was.requests) || u.waiting.differs(&was.waiting) || u.waiting.mean > 0 && u.usual != was.usual {
		p.touchAll()
	}
}

// average is the mean of what endpoints show. One whose page says something else each time, because it lies or is broken, would make all
// others seem as full as it is on average, and lift the bounds of load: it counts with no more than all others together, and lone.
type average struct{ n, sum, most float64 }

// lone is the requests that an endpoint may have when others' pages show none.
const lone = 64

func (a *average) add(number float64) { a.n, a.sum, a.most = a.n+1, a.sum+number, max(a.most, number) }

func (a *average) mean() float64 {
	above := 0.0
	if a.n > 1 {
		above = max(a.most-max(a.sum-a.most, 0)-lone, 0)
	}
	return (a.sum - above) / max(a.n, 1)
}

// takePages takes those that are new.
func (p *Pool) takePages(now int64) {
	u := &p.uncounted
	for i := range p.ends {
		m := &p.ends[i].metrics
		if m.at == m.learnedAt || m.belief(now) == 0 {
			continue
		}
		again := m.learnedAt != 0 && m.at > m.learnedAt
		u.requests.take(&m.others, again)
		u.waiting.take(&m.othersWaiting, again)
		u.seen, u.counted = u.seen+m.others.number, u.counted+m.then
		m.learnedAt = m.at
	}
	u.requests.solve()
	u.waiting.solve()
}

// send counts a request of this worker.
func (u *uncounted) send(tokens float64, streams bool) {
	u.sent += usualWeight * (tokens - u.sent)
	u.unseen -= usualWeight * u.unseen
	if !streams {
		u.unseen += usualWeight
	}
}

// MeanUncached is the prompt tokens to compute of one of this worker's requests, on average: of the last 50 or so, as of the last Tick.
func (p *Pool) MeanUncached() float64 { return p.uncounted.usual }

// differs says whether something else is expected than before, without a new page.
func (l *lasting) differs(was *lasting) bool {
	return l.lasts != was.lasts || l.lasts < 1 && l.mean != was.mean
}

// take counts what a page shows; again says that one before it was counted.
//
//go:noinline
func (l *lasting) take(s *shown, again bool) {
	excess := s.number - l.mean
	if again {
		l.before, l.both = l.before+float64(s.excess*s.excess), l.both+float64(s.excess*excess)
	}
	s.excess = excess
}

func (l *lasting) solve() {
	if l.lasts = 0; l.before > 0 {
		l.lasts = min(max(l.both/l.before, 0), 1)
	}
}

// expected is how much of what a page shows is probably there until the next one comes.
func (l *lasting) expected(s *shown) float64 {
	return max(l.mean+float64((s.number-l.mean)*l.lasts), 0)
}

// othersQueue is the tokens of prompts that wait at endpoint i and were not counted here.
func (p *Pool) othersQueue(i int, now int64) (tokens float64) {
	m, u := &p.ends[i].metrics, &p.uncounted
	b := m.belief(now)
	if b == 0 {
		return 0
	}
	return b * float64(u.waiting.expected(&m.othersWaiting)*u.usual)
}

// OthersShare is the share, 0 to 1, of the requests on pages of metrics of the last minute or so that are not counted here; false
// where no page has shown any.
func (p *Pool) OthersShare() (share float64, known bool) {
	u := &p.uncounted
	all := u.seen + u.counted
	if !(all > 0) {
		return 0, false
	}
	return max(u.seen/(all+fewShown), 0), true
}

// OthersWaiting is how many prompts that are not counted here wait at an endpoint at least, on average: those beyond all own requests, of
// which it is not known which ones wait if their answers are not streamed. 0 where hardly any request is not counted.
func (p *Pool) OthersWaiting() float64 {
	const few = 0.05
	if share, _ := p.OthersShare(); share < few {
		return 0
	}
	return p.uncounted.surely
}
