package pool

import (
	"warmroute/plugin/others"
	"warmroute/plugin/recent"
)

// uncounted is what pages of metrics have shown of requests that are not counted here (Counted): those of other gateways, which share
// nothing with this one, and of clients that go past all gateways.
//
// A page tells how many there were when it was read. If they are other gateways', these have seen it as well, have sent where it
// showed few, and go on doing so until the next page. So an endpoint's excess over the others' mean, above or below 0, counts as far as
// the same endpoint's next page has turned out to show it still: times the coefficient that least squares give for all endpoints' pages of
// the last minute or so (the first autocorrelation; Box, Jenkins, Time Series Analysis, section 2.1). What one client sends steadily to one
// endpoint counts whole. Where nobody else sends, there is no excess. To believe more of it while a page is young does not pay: where
// requests are short, all gateways send to the same endpoints in that time (docs/rule-trials.md). Nor before a second page has come: gateways
// that start together would all send to where the first one showed few.
//
// Likewise the prompts that wait, which are put into the endpoint's queue (Queue).
type uncounted struct {
	requests, waiting others.Lasting
	surely            float64 // prompts that wait at an endpoint, on average, even if all own requests wait as well

	// Sums over pages, each weighing e^(−age ÷ recent.Span).
	seen, counted float64 // requests that were not counted here, and that were

	at int64 // ns: the last Tick

	// Of own requests, smoothed; and as they were at the last Tick.
	sent, usual         float64 // prompt tokens to compute of one
	unseen, usualUnseen float64 // share whose responses are not streamed
}

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
	var requests, waiting, surely others.Average
	for i := range p.ends {
		if m := &p.ends[i].metrics; m.belief(now) > 0 {
			requests.Add(m.others.Number)
			waiting.Add(m.othersWaiting.Number)
			surely.Add(max(m.waiting-m.then, 0))
			learned = learned || m.at != m.learnedAt
		}
	}
	u.requests.Mean, u.waiting.Mean, u.surely = requests.Mean(others.Lone), waiting.Mean(0), surely.Mean(0)
	faded := recent.Since(u.at, now, recent.Span)
	u.seen, u.counted = u.seen*faded, u.counted*faded
	u.requests.Fade(faded)
	u.waiting.Fade(faded)
	u.at = now
	if learned {
		p.takePages(now)
	}
	u.usual, u.usualUnseen = u.sent, u.unseen
	if u.usualUnseen != was.usualUnseen || u.requests.Differs(&was.requests) || u.waiting.Differs(&was.waiting) || u.waiting.Mean > 0 && u.usual != was.usual {
		p.touchAll()
	}
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
		u.requests.Take(&m.others, again)
		u.waiting.Take(&m.othersWaiting, again)
		u.seen, u.counted = u.seen+m.others.Number, u.counted+m.then
		m.learnedAt = m.at
	}
	u.requests.Solve()
	u.waiting.Solve()
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

// othersQueue is the tokens of prompts that wait at endpoint i and were not counted here.
func (p *Pool) othersQueue(i int, now int64) (tokens float64) {
	m, u := &p.ends[i].metrics, &p.uncounted
	b := m.belief(now)
	if b == 0 {
		return 0
	}
	return b * float64(u.waiting.Expected(&m.othersWaiting)*u.usual)
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

// Company is how far, 0 to 1, this gateway is to act as if others, which share nothing with it, sent turns of the same conversations.
func (p *Pool) Company() float64 { return p.unshared.Company(p.OthersShare()) }

// ShownCompany is Company as far as responses have shown such gateways: while it is open, others may be clients of another kind.
func (p *Pool) ShownCompany() float64 { return p.unshared.Shown(p.OthersShare()) }

// Hidden is the share, 0 to 1, of what is not known of a known conversation's prompt at its place on the ring that has turned out to be
// there, because other gateways had sent it. It follows Match.
func (p *Pool) Hidden(f *Flight) float64 {
	_, known := p.OthersShare()
	f.unsent = others.Class(f.Uncached(f.before))
	if f.Chain.Covered(f.before) == f.bytes { // all of it was sent from here: nobody has more of it
		return 0
	}
	return p.unshared.Hidden(f.unsent, known)
}
