package pool

import "math"

// uncounted is what pages of metrics have shown of requests that are not counted here (Counted): those of other gateways, which share
// nothing with this one, and of clients that go past all gateways.
//
// A page tells how many there were when it was read. If they are other gateways', these have seen it as well, have sent where it
// showed few, and go on doing so until the next page. So an endpoint's excess over the others' mean, above or below 0, is believed
// for as long as such an excess has turned out to last: by how much of it the same endpoint's next page still showed. It fades
// as e^(−age · rate), with the rate that least squares give for all endpoints' pages of the last minute or so (the
// autocorrelation of an AR(1) process; Box, Jenkins, Time Series Analysis, section 3.2). What one client sends steadily to one
// endpoint lasts and fades not at all. Where nobody else sends, there is nothing to fade.
//
// Likewise the prompts that wait, which are put into the endpoint's queue (Queue).
type uncounted struct {
	requests, waiting lasting

	// Sums over pages, each weighing e^(−age ÷ WorkSpan).
	seen, counted  float64 // requests that were not counted here, and that were
	between, pairs float64 // ns from a page to the next one of the same endpoint, and how many such pairs there were

	at    int64   // ns: the last Tick
	sent  float64 // prompt tokens to compute of an own request, smoothed
	usual float64 // that, as it was at the last Tick
}

// lasting is how long an endpoint's excess over the mean lasts.
type lasting struct {
	mean         float64 // at an endpoint
	before, both float64 // sums as above: the square of an excess; and it times that on the page after it
	rate         float64 // 1 ÷ ns
}

// shown is what a page shows that was not counted here, and its excess over the mean when learnUncounted took the page.
type shown struct{ number, excess float64 }

const (
	leastLasting = 1e-4 // share of an excess that lasts to the next page: less counts as this
	fadeSteps    = 16   // an excess fades in as many steps as make it e times smaller, so that a Summary holds for a while
	fadeOver     = 4    // it is nothing once it is e^−fadeOver of what the page showed

	// fewShown is how many requests on pages say nothing of others: a page that is read while a request of another worker is not
	// yet counted here shows one too many. So a gateway that is alone and quiet does not take it for another gateway's.
	fewShown = 8
)

// usualWeight is the weight of one request in uncounted.sent.
const usualWeight = 0.02

// shownBy is what a page shows beyond own counts: requests, below 0 where it was read before they were counted; and of them, prompts that
// wait, as far as own streams are not those.
func (e *endpoint) shownBy(m *metrics) (requests, waiting float64) {
	requests = m.running + m.waiting - m.then
	own := float64(e.waiting + e.peer.line.Waiting + e.gateways.line.Waiting)
	return requests, max(min(m.waiting-own, requests), 0)
}

// learnUncounted takes the pages that have come since the last time.
func (p *Pool) learnUncounted(now int64) {
	u := &p.uncounted
	was, learned := *u, false
	requests, waiting, n := 0.0, 0.0, 0.0
	for i := range p.ends {
		if m := &p.ends[i].metrics; m.belief(now) > 0 {
			requests, waiting, n = requests+m.others.number, waiting+m.othersWaiting.number, n+1
			learned = learned || m.at != m.learnedAt
		}
	}
	u.requests.mean, u.waiting.mean = requests/max(n, 1), waiting/max(n, 1)
	faded := fade(float64(now-u.at) / WorkSpan)
	for _, of := range [...]*float64{&u.seen, &u.counted, &u.between, &u.pairs, &u.requests.before, &u.requests.both, &u.waiting.before, &u.waiting.both} {
		*of *= faded
	}
	u.at = now
	if learned {
		p.takePages(now)
	}
	u.usual = u.sent
	if u.requests.differs(&was.requests) || u.waiting.differs(&was.waiting) || u.waiting.mean > 0 && u.usual != was.usual {
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
		u.requests.take(&m.others, again)
		u.waiting.take(&m.othersWaiting, again)
		if again {
			u.between, u.pairs = u.between+float64(m.at-m.learnedAt), u.pairs+1
		}
		u.seen, u.counted = u.seen+m.others.number, u.counted+m.then
		m.learnedAt = m.at
	}
	between := u.between / max(u.pairs, 1)
	u.requests.solve(between)
	u.waiting.solve(between)
}

// differs says whether something else is expected than before, without a new page.
func (l *lasting) differs(was *lasting) bool {
	return l.rate != was.rate || l.rate > 0 && l.mean != was.mean
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

// solve sets the rate, for pages that are so many ns apart.
//
//go:noinline
func (l *lasting) solve(between float64) {
	if l.rate = 0; l.before > 0 && between > 0 {
		l.rate = unfade(max(l.both/l.before, leastLasting)) / between
	}
}

// unfade is x for e^(−x): 0 for 1 and more.
func unfade(y float64) float64 {
	least, most := 0.0, 10.0 // e^−10 is below leastLasting
	for range 40 {
		if x := (least + most) / 2; fade(x) > y {
			least = x
		} else {
			most = x
		}
	}
	return least
}

// expected is how much of what a page of that time shows is probably there at now, and until when that holds.
//
//go:noinline
func (l *lasting) expected(s *shown, at, now int64) (number float64, until int64) {
	until = math.MaxInt64
	if l.rate == 0 {
		return max(s.number, 0), until
	}
	age := float64(max(now-at, 0)) * l.rate
	if age >= fadeOver {
		return max(l.mean, 0), until
	}
	step := math.Floor(age * fadeSteps)
	until = at + int64((step+1)/fadeSteps/l.rate) + 1
	return max(l.mean+float64((s.number-l.mean)*fade(step/fadeSteps)), 0), until
}

// othersQueue is the tokens of prompts that wait at endpoint i and were not counted here, and until when that holds.
func (p *Pool) othersQueue(i int, now int64) (tokens float64, until int64) {
	m, u := &p.ends[i].metrics, &p.uncounted
	b := m.belief(now)
	if b == 0 {
		return 0, m.steady(now)
	}
	n, until := u.waiting.expected(&m.othersWaiting, m.at, now)
	return b * float64(n*u.usual), min(until, m.steady(now))
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
