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
type uncounted struct {
	mean float64 // requests at an endpoint

	// Sums over pages, each weighing e^(−age ÷ WorkSpan).
	seen, counted float64 // requests that were not counted here, and that were
	before, both  float64 // the square of an endpoint's excess; and it times that on the page after it
	between       float64 // ns from that page to the one after, and how many such pairs there were
	pairs         float64

	rate float64 // 1 ÷ ns
	at   int64   // ns: the last Tick
}

const (
	leastLasting = 1e-4 // share of an excess that lasts to the next page: less counts as this
	fadeSteps    = 16   // an excess fades in as many steps as make it e times smaller, so that a Summary holds for a while
	fadeOver     = 4    // it is nothing once it is e^−fadeOver of what the page showed
)

// learnUncounted takes the pages that have come since the last time.
func (p *Pool) learnUncounted(now int64) {
	u := &p.uncounted
	sum, n := 0.0, 0.0
	for i := range p.ends {
		if m := &p.ends[i].metrics; m.belief(now) > 0 {
			sum, n = sum+m.uncounted, n+1
		}
	}
	u.mean = sum / max(n, 1)
	faded := fade(float64(now-u.at) / WorkSpan)
	for _, of := range [...]*float64{&u.seen, &u.counted, &u.before, &u.both, &u.between, &u.pairs} {
		*of *= faded
	}
	u.at = now
	for i := range p.ends {
		m := &p.ends[i].metrics
		if m.at == m.learnedAt || m.belief(now) == 0 {
			continue
		}
		excess := m.uncounted - u.mean
		if m.learnedAt != 0 && m.at > m.learnedAt {
			u.before, u.both = u.before+float64(m.excess*m.excess), u.both+float64(m.excess*excess)
			u.between, u.pairs = u.between+float64(m.at-m.learnedAt), u.pairs+1
		}
		u.seen, u.counted = u.seen+m.uncounted, u.counted+m.then
		m.excess, m.learnedAt = excess, m.at
	}
	rate := 0.0
	if u.before > 0 && u.between > 0 {
		rate = unfade(max(u.both/u.before, leastLasting)) * u.pairs / u.between
	}
	if rate != u.rate || rate > 0 {
		u.rate = rate
		p.touchAll()
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

// expected is how many requests that are not counted here the endpoint of a page probably has at now, and until when that holds.
func (u *uncounted) expected(m *metrics, now int64) (requests float64, until int64) {
	until = math.MaxInt64
	if u.rate > 0 {
		age := float64(max(now-m.at, 0)) * u.rate
		if age >= fadeOver {
			return max(u.mean, 0), until
		}
		step := math.Floor(age * fadeSteps)
		until = m.at + int64((step+1)/fadeSteps/u.rate) + 1
		return max(u.mean+float64((m.uncounted-u.mean)*fade(step/fadeSteps)), 0), until
	}
	return max(m.uncounted, 0), until
}

// OthersShare is the share, 0 to 1, of the requests on pages of metrics of the last minute or so that are not counted here; false
// where no page has shown any.
func (p *Pool) OthersShare() (share float64, known bool) {
	u := &p.uncounted
	all := u.seen + u.counted
	if !(all > 0) {
		return 0, false
	}
	return max(u.seen/all, 0), true
}
