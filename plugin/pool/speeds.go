package pool

// Where gateways share news, all learn one line for each endpoint: each worker tells the sums of what it has seen, and fits the line
// to those of all. Alone, each would take as many responses of a slow endpoint until it knows it.

// Sums are what a line is fitted to: see package pool's speed.go.
type Sums [7]float64

// MostSums is the largest number of samples that one worker's sums have: they fade.
const MostSums = 1 / (1 - keep)

// Plus is the sums of both, other's weighed.
func (s Sums) Plus(other *Sums, weight float64) Sums {
	for k := range s {
		s[k] += weight * other[k]
	}
	return s
}

// OwnSpeed is the sums of this worker's responses from endpoint i; −1: from all.
func (p *Pool) OwnSpeed(i int) Sums {
	s := &p.fitOf(i).own
	return Sums{s.n, s.nn, s.x, s.y, s.xx, s.xy, s.yy}
}

func (p *Pool) fitOf(i int) *fit {
	if i < 0 {
		return &p.rates.pool
	}
	return &p.ends[i].speed
}

// SetToldSpeed sets the sums of other workers' and gateways' responses from endpoint i; −1, first: from all.
func (p *Pool) SetToldSpeed(i int, s *Sums) {
	f := p.fitOf(i)
	told := sums{s[0], s[1], s[2], s[3], s[4], s[5], s[6]}
	if f.others == told {
		return
	}
	f.tell(told)
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

// tell sets the sums of others.
func (f *fit) tell(o sums) {
	s := &f.own
	f.others = o
	f.sums = sums{s.n + o.n, s.nn + o.nn, s.x + o.x, s.y + o.y, s.xx + o.xx, s.xy + o.xy, s.yy + o.yy}
}
