package speed

import "math"

// Endpoints count as equally fast until one is apart from their mean by more than chance and more than what queues and batches do: otherwise
// noise would decide between equal endpoints, where the ring should. Each is compared with what the pool's curve expects of the very
// prompts that it got, so that it does not matter which those were. Of several kinds (kinds.go) each is compared first, then each endpoint
// with those of its kind. Once one is apart, each counts as fast as it has shown, drawn to the mean, or to that of its kind where kinds are
// apart, by as much as it is unsure against the variance between endpoints (DerSimonian, Laird, "Meta-analysis in clinical trials",
// Controlled Clinical Trials 7, 1986).

const (
	// like is how far equal endpoints are apart, as a standard deviation of the logarithm of times beside that of chance: ln 1.2. What
	// queues are taken for and what batches and steps cost is no better known.
	like = 0.182

	// sigmas is the standard deviations from which an endpoint is apart. Until all are within half of that, they stay of different speed.
	sigmas = 3

	// lasting is the standard deviations from which an endpoint is apart if it was so at each of the last longLasting comparisons. Queues and
	// batches come and go; of two kinds of cards, half of the pool each, one must take three times as long as the other to be sigmas from
	// their mean. Both are judged (docs/rule.md).
	lasting     = 2
	longLasting = 60

	// leastVariance is added to that of a logarithm of times, for responses that do not scatter at all.
	leastVariance = 1e-6
)

// estimate is a number of an endpoint, and its variance.
type estimate struct{ value, variance float64 }

func (e estimate) plus(variance float64) estimate { return estimate{e.value, e.variance + variance} }

// far is how many standard deviations an estimate is from a number, with what equal endpoints may be apart.
func (e estimate) far(from float64) float64 {
	return math.Abs(e.value-from) / math.Sqrt(e.variance+like*like)
}

// weighed is a mean of estimates, each weighing one ÷ its variance.
type weighed struct{ n, w, ww, wv, wvv float64 }

func (m *weighed) add(e estimate) {
	w := 1 / e.variance
	m.n, m.w, m.ww, m.wv, m.wvv = m.n+1, m.w+w, m.ww+float64(w*w), m.wv+float64(w*e.value), m.wvv+float64(float64(w*e.value)*e.value)
}

func (m *weighed) mean() float64 { return m.wv / m.w }

// spread is Cochran's Q of the estimates, what it is by chance, and what a variance between the numbers that they are of adds to it, ÷ that variance.
func (m *weighed) spread() (q, chance, more float64) {
	return m.wvv - float64(m.wv/m.w*m.wv), m.n - 1, m.w - m.ww/m.w
}

// between is the variance between the numbers that the estimates are of: DerSimonian's and Laird's, of at least two; of one it is no number.
func (m *weighed) between() float64 {
	q, chance, more := m.spread()
	return max((q-chance)/more, 0)
}

// evened is what all endpoints have shown, the times of each being what they would be at one of mean speed.
func (s *Speeds) evened() (all Sums) {
	for i := range s.ends {
		if e := &s.ends[i]; e.present && e.ready() {
			of, slower := e.Sums, e.shown()
			of[sumY], of[sumXY], of[sumYZ] = of[sumY]/slower, of[sumXY]/slower, of[sumYZ]/slower
			all = all.Plus(&of, 1)
		}
	}
	return all
}

// Compare sets how fast each endpoint counts, and says whether any of that has changed: of those that have shown too little, each as it has,
// drawn to what those of its kind have together, but for those whose prompts under way show that they are slow. To be called about once a second.
func (s *Speeds) Compare(now int64) (changed bool) {
	s.wholes.fit()
	before := s.awaited
	s.forget(now)
	if s.awaited = s.awaits(); !s.learned && !s.awaited && !before {
		return false
	}
	s.learned = false
	all := s.evened() // as long as all count as equal, what prompts alone can explain is taken for theirs
	s.curve.fit(&all)
	s.shown = append(s.shown[:0], make([]estimate, len(s.ends))...)
	s.sort()
	c := comparison{kinds: s.kinds}
	for i := range s.ends {
		if !s.ends[i].present {
			continue
		}
		if e, ok := s.curve.compare(&s.ends[i].Sums); ok {
			s.shown[i] = e
			c.add(s.ends[i].kind, e)
		}
	}
	scatter := s.scatter()
	s.addSlow(&all, scatter, &c, now)
	s.addRest(&c)
	c.judge(s)
	s.mixed = s.apart.is || s.odd.is
	for i, e := range s.shown {
		slower := 0.
		if s.ends[i].present && s.mixed {
			slower = c.slower(s, i, e, scatter)
		}
		if s.ends[i].slower != slower {
			s.ends[i].slower, changed = slower, true
		}
	}
	changed = s.count() || changed
	if s.mixed {
		s.even = line{Sums: s.evened()}
		s.even.solve()
	}
	return changed
}

// scatter is the variance of one response, relative to what is expected of it, as those of endpoints that have shown enough scatter; 0: of none.
func (s *Speeds) scatter() float64 {
	n, sum := 0., 0.
	for i, e := range s.shown {
		if of := &s.ends[i].Sums; e != (estimate{}) && of[sumN] >= enough {
			one := e.variance * of[sumN] * of[sumN] / of[sumNN]
			n, sum = n+of[sumN], sum+float64(one*of[sumN])
		}
	}
	if n == 0 {
		return 0
	}
	return sum / n
}

// few is how fast an endpoint is that has shown too little: as its few responses were, drawn to how all such were together by as much as the
// few are unsure against the variance between endpoints.
func (s *Speeds) few(i int, together estimate, between, scatter float64) estimate {
	of := &s.ends[i].Sums
	if of[sumN] == 0 || scatter == 0 {
		return together
	}
	own := s.curve.rough(of, scatter)
	if !(math.Abs(own.value) <= mostApart) {
		return together
	}
	before := together.variance + between
	w := before / (before + own.variance)
	return estimate{together.value + float64(w*(own.value-together.value)), w * own.variance}
}
