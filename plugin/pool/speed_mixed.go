package pool

import "math"

// Endpoints count as equally fast until one is apart from their mean by more than chance and more than what queues and batches do: otherwise
// noise would decide between equal endpoints, where the ring should. Each is compared with what the pool's curve expects of the very
// prompts that it got, so that it does not matter which those were. Once one is apart, each counts as fast as it has shown, drawn to the
// mean by as much as it is unsure against the variance between endpoints (DerSimonian, Laird, "Meta-analysis in clinical trials",
// Controlled Clinical Trials 7, 1986).

const (
	// like is how far equal endpoints are apart, as a standard deviation of the logarithm of times beside that of chance: ln 1.2. What
	// queues are taken for and what batches and steps cost is no better known.
	like = 0.182

	// sigmas is the standard deviations from which an endpoint is apart. Until all are within half of that, they stay of different speed.
	sigmas = 3

	// leastVariance is added to that of a logarithm of times, for responses that do not scatter at all.
	leastVariance = 1e-6
)

// estimate is a number of an endpoint, and its variance.
type estimate struct{ value, variance float64 }

func (e estimate) plus(variance float64) estimate { return estimate{e.value, e.variance + variance} }

// weighed is a mean of estimates, each weighing one ÷ its variance.
type weighed struct{ n, w, ww, wv, wvv float64 }

func (m *weighed) add(e estimate) {
	w := 1 / e.variance
	m.n, m.w, m.ww, m.wv, m.wvv = m.n+1, m.w+w, m.ww+float64(w*w), m.wv+float64(w*e.value), m.wvv+float64(float64(w*e.value)*e.value)
}

func (m *weighed) mean() float64 { return m.wv / m.w }

// far is how many standard deviations an estimate is from the mean, with what equal endpoints may be apart.
func (m *weighed) far(e estimate) float64 {
	return math.Abs(e.value-m.mean()) / math.Sqrt(e.variance+like*like)
}

// between is the variance between the numbers that the estimates are of: DerSimonian's and Laird's, of at least two.
func (m *weighed) between() float64 {
	q := m.wvv - float64(m.wv/m.w*m.wv)
	return max((q-(m.n-1))/(m.w-m.ww/m.w), 0)
}

// shown is the estimate of endpoint i; false where there is none.
func (p *Pool) shown(i int) (e estimate, ok bool) {
	if !p.Present(i) {
		return e, false
	}
	return p.rates.curve.compare(&p.ends[i].speed.Sums)
}

// evened is what all endpoints have shown, the times of each being what they would be at one of mean speed.
func (p *Pool) evened() (all Sums) {
	for i := range p.ends {
		if f := &p.ends[i].speed; p.Present(i) && f.ready() {
			s, slower := f.Sums, f.times()
			s[sumY], s[sumXY], s[sumYZ] = s[sumY]/slower, s[sumXY]/slower, s[sumYZ]/slower
			all = all.Plus(&s, 1)
		}
	}
	return all
}

// compareSpeeds sets how fast each endpoint counts: of those that have shown too little, all as they have together, but for those whose
// prompts under way show that they are slow.
func (p *Pool) compareSpeeds(now int64) {
	r := &p.rates
	if p.borrowed { // with what that one compared, and what is under way here is answered elsewhere
		return
	}
	r.wholes.fit()
	before := r.awaited
	if r.awaited = p.awaits(); !r.learned && !r.awaited && !before {
		return
	}
	r.learned = false
	all := p.evened() // as long as all count as equal, what prompts alone can explain is taken for theirs
	r.curve.fit(&all)
	r.shown = append(r.shown[:0], make([]estimate, len(p.ends))...)
	var equal, seen weighed // with what equal endpoints may be apart, and without
	add := func(i int, e estimate) {
		equal.add(e.plus(like * like))
		seen.add(e.plus(leastVariance))
		if i >= 0 {
			r.shown[i] = e
		}
	}
	for i := range p.ends {
		if e, ok := p.shown(i); ok {
			add(i, e)
		}
	}
	p.addSlow(&all, equal, add, now)
	var rest Sums
	for i := range p.ends {
		if p.Present(i) && r.shown[i] == (estimate{}) {
			rest = rest.Plus(&p.ends[i].speed.Sums, 1)
		}
	}
	others, known := r.curve.compare(&rest)
	far := 0.
	if known {
		add(-1, others)
		far = equal.far(others)
	}
	for _, e := range r.shown {
		if e != (estimate{}) {
			far = max(far, equal.far(e))
		}
	}
	r.mixed = seen.n > 1 && (far > sigmas || r.mixed && far > sigmas/2.)
	for i, e := range r.shown {
		ok := e != (estimate{})
		if !ok && known && p.Present(i) {
			e, ok = others, true
		}
		slower := 0.
		if ok && r.mixed {
			between := seen.between()
			slower = math.Exp((e.value - equal.mean()) * between / (between + e.plus(leastVariance).variance))
		}
		if f := &p.ends[i].speed; f.slower != slower {
			f.slower = slower
			p.touch(i)
		}
	}
	if r.mixed {
		r.even = fit{Sums: p.evened()}
		r.even.solve()
	}
}
