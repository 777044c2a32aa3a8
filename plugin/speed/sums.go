package speed

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
	s[sumN], s[sumNN] = s[sumN]*Keep+1, s[sumNN]*Keep*Keep+1
	s[sumX], s[sumY] = s[sumX]*Keep+x, s[sumY]*Keep+y
	s[sumXX], s[sumXY], s[sumYY] = s[sumXX]*Keep+x*x, s[sumXY]*Keep+x*y, s[sumYY]*Keep+y*y
	s[sumZ], s[sumXZ], s[sumZZ], s[sumYZ] = s[sumZ]*Keep+z, s[sumXZ]*Keep+x*z, s[sumZZ]*Keep+z*z, s[sumYZ]*Keep+y*z
}

// MostSums is the largest number of samples that one worker's sums have: they fade.
const MostSums = 1 / (1 - Keep)

// Plus is the sums of both, other's weighed.
func (s Sums) Plus(other *Sums, weight float64) Sums {
	for k := range s {
		s[k] += weight * other[k]
	}
	return s
}

// Own is what this worker's responses from endpoint i tell; −1: from all.
func (s *Speeds) Own(i int) Sums { return s.line(i).own }

func (s *Speeds) line(i int) *line {
	if i < 0 {
		return &s.pool
	}
	return &s.ends[i].line
}

// SetOthers sets what other workers' and gateways' responses from endpoint i tell; −1, first: from all. It says whether what all
// endpoints take has changed.
func (s *Speeds) SetOthers(i int, sums *Sums) (all bool) {
	l := s.line(i)
	if l.others == *sums {
		return false
	}
	l.setOthers(*sums)
	s.learned = true
	switch {
	case l.ready():
		l.solve()
		return i < 0
	case i < 0:
		s.pool = line{}
	default:
		s.ends[i].line, s.ends[i].slower, s.ends[i].counted, s.ends[i].depth = line{}, 0, 0, depth{}
	}
	return true
}
