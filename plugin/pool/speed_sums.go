package pool

// The workers of a proxy, and of all gateways that share news, learn together how fast each endpoint is: each tells the sums of what it has
// seen, and goes by those of all. Alone, each would take as many responses of a slow endpoint until it knows it.

// Sums are what a line and a curve are fitted to, of samples that fade: their number, that of their squared weights, tokens, seconds, the
// products, and those with pairs of tokens that attend to each other.
type Sums [11]float64

const (
	sumN = iota
	sumNN
	sumX
	sumY
	sumXX
	sumXY
	sumYY
	sumZ
	sumXZ
	sumZZ
	sumYZ
)

// sample adds one.
func (s *Sums) sample(x, y, z float64) {
	s[sumN], s[sumNN] = s[sumN]*keep+1, s[sumNN]*keep*keep+1
	s[sumX], s[sumY] = s[sumX]*keep+x, s[sumY]*keep+y
	s[sumXX], s[sumXY], s[sumYY] = s[sumXX]*keep+x*x, s[sumXY]*keep+x*y, s[sumYY]*keep+y*y
	s[sumZ], s[sumXZ], s[sumZZ], s[sumYZ] = s[sumZ]*keep+z, s[sumXZ]*keep+x*z, s[sumZZ]*keep+z*z, s[sumYZ]*keep+y*z
}

// MostSums is the largest number of samples that one worker's sums have: they fade.
const MostSums = 1 / (1 - keep)

// Plus is the sums of both, other's weighed.
func (s Sums) Plus(other *Sums, weight float64) Sums {
	for k := range s {
		s[k] += weight * other[k]
	}
	return s
}

// SpeedsEvery is how often that is told, in nanoseconds; of very many endpoints less often.
const SpeedsEvery = 1e9

// Speed is what one worker tells of an endpoint, or of all.
type Speed struct {
	Sums   Sums
	Lost   float64 // the share of its time that it loses for the worker's requests (LostTime); of all: none
	Thrash Thrash  // likewise
}

// Plus is what both tell together.
func (s Speed) Plus(other *Speed) Speed {
	return Speed{s.Sums.Plus(&other.Sums, 1), s.Lost + other.Lost, s.Thrash.Plus(other.Thrash)}
}

// OwnSpeed is what this worker's responses from endpoint i tell; −1: from all.
func (p *Pool) OwnSpeed(i int, now int64) Speed {
	s := Speed{Sums: p.fitOf(i).own}
	if i >= 0 {
		s.Lost, s.Thrash = p.lost.time(p.lost.by[i], now), p.ends[i].thrash.now(now)
	}
	return s
}

func (p *Pool) fitOf(i int) *fit {
	if i < 0 {
		return &p.rates.pool
	}
	return &p.ends[i].speed
}

// SetOthersSpeed sets what other workers' and gateways' responses from endpoint i tell; −1, first: from all.
func (p *Pool) SetOthersSpeed(i int, s *Speed) {
	if i >= 0 {
		p.lost.setOthers(i, s.Lost)
		p.ends[i].thrash.others = s.Thrash
	}
	f := p.fitOf(i)
	if f.others == s.Sums {
		return
	}
	f.setOthers(s.Sums)
	p.rates.learned = true
	switch {
	case !f.ready():
		*f = fit{}
		p.touchAll()
	case i < 0:
		f.solve()
		p.touchAll()
	default:
		p.solve(i)
	}
}

// setOthers sets the sums of other workers and gateways.
func (f *fit) setOthers(others Sums) { f.others, f.Sums = others, f.own.Plus(&others, 1) }
