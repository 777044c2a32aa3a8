package speed

import (
	"math"

	"warmroute/plugin/logexp"
)

// judged is whether some are apart, and for how many comparisons in a row they were so by lasting standard deviations.
type judged struct {
	is  bool
	row int
}

// judge takes how many standard deviations the farthest is apart.
func (j *judged) judge(far float64) {
	if j.row++; far <= lasting {
		j.row = 0
	}
	j.is = far > sigmas || j.row >= longLasting || j.is && far > sigmas/2.
}

// comparison is what endpoints have shown, of all and of each kind. Who is apart is judged with what equal endpoints may be apart, and how far by what
// was seen.
type comparison struct {
	kinds       []kind
	equal, seen weighed
	between     weighed  // the kinds
	rest        estimate // of those that have shown too little, of the kinds of which all such have, or else of all kinds; zero: all these have
	apart       float64  // variance between kinds
	within      float64  // and between those of a kind, or if kinds are not apart of all
}

func (c *comparison) add(k uint8, e estimate) {
	for _, of := range [...]*weighed{&c.equal, &c.kinds[k].of} {
		of.add(e.plus(like * like))
	}
	for _, of := range [...]*weighed{&c.seen, &c.kinds[k].seen} {
		of.add(e.plus(leastVariance))
	}
}

// addRest adds those that have shown too little, together: of each kind, and where that is too little, too, of all such kinds. Where even that is,
// they are told by what those of all kinds have shown, which is added already.
func (s *Speeds) addRest(c *comparison) {
	var rest, all Sums
	for i := range s.ends {
		if e := &s.ends[i]; e.present && s.shown[i] == (estimate{}) {
			c.kinds[e.kind].rest = c.kinds[e.kind].rest.Plus(&e.Sums, 1)
		}
	}
	for k := range c.kinds {
		of := &c.kinds[k]
		if e, ok := s.curve.compare(&of.rest); ok {
			of.all = e
			c.add(uint8(k), e)
		} else {
			rest = rest.Plus(&of.rest, 1)
		}
		all = all.Plus(&of.rest, 1)
	}
	if e, ok := s.curve.compare(&rest); ok {
		c.rest = e
		c.equal.add(e.plus(like * like))
		c.seen.add(e.plus(leastVariance))
	} else if e, ok := s.curve.compare(&all); ok {
		c.rest = e
	}
}

// judge says whether kinds are apart from the mean of all endpoints, and whether endpoints are from that of their kind. Where kinds alone are, each
// endpoint counts as its kind does: what it differs by is chance.
func (c *comparison) judge(s *Speeds) {
	far := 0.
	for k := range c.kinds {
		if of := &c.kinds[k].of; of.n > 0 {
			c.between.add(estimate{of.mean(), 1 / c.kinds[k].seen.w})
			far = max(far, math.Abs(of.mean()-c.equal.mean())*math.Sqrt(of.w))
		}
	}
	if c.between.n < 2 {
		far = 0
	}
	s.apart.judge(far)
	c.within = c.seen.between()
	if s.apart.is {
		c.apart = c.between.between()
		c.within = c.betweenThoseOfAKind()
	}
	far = 0
	for i, e := range s.shown {
		if e != (estimate{}) {
			far = max(far, e.far(c.centre(s, s.ends[i].kind)))
		}
	}
	for k := range c.kinds {
		if e := c.kinds[k].all; e != (estimate{}) {
			far = max(far, e.far(c.centre(s, uint8(k))))
		}
	}
	if c.rest != (estimate{}) {
		far = max(far, c.rest.far(c.equal.mean()))
	}
	if c.seen.n < 2 {
		far = 0
	}
	s.odd.judge(far)
}

// centre is the logarithm of how long those of a kind take.
func (c *comparison) centre(s *Speeds, k uint8) float64 {
	mean := c.equal.mean()
	of := &c.kinds[k].of
	if !s.apart.is || of.n == 0 {
		return mean
	}
	return mean + (of.mean()-mean)*c.apart/(c.apart+1/c.kinds[k].seen.w)
}

// betweenThoseOfAKind is the variance between endpoints of a kind: DerSimonian's and Laird's, of all kinds.
func (c *comparison) betweenThoseOfAKind() float64 {
	q, chance, more := 0., 0., 0.
	for k := range c.kinds {
		if m := &c.kinds[k].seen; m.n > 1 {
			ofQ, ofChance, ofMore := m.spread()
			q, chance, more = q+ofQ, chance+ofChance, more+ofMore
		}
	}
	if more == 0 {
		return 0
	}
	return max((q-chance)/more, 0)
}

// slower is how many times as long endpoint i takes as one of mean speed, by what it has shown; 0: nothing tells.
func (c *comparison) slower(s *Speeds, i int, e estimate, scatter float64) float64 {
	of := &c.kinds[s.ends[i].kind]
	centre := c.centre(s, s.ends[i].kind)
	if e == (estimate{}) {
		together := of.all
		switch {
		case together != (estimate{}):
		case of.of.n > 0 && s.apart.is:
			together = estimate{centre, 1 / of.of.w}
		case c.rest != (estimate{}):
			together = c.rest
		default:
			return 0
		}
		e = s.few(i, together, c.within, scatter)
	}
	if !s.odd.is {
		return logexp.Exp(centre - c.equal.mean())
	}
	return logexp.Exp(centre - c.equal.mean() + (e.value-centre)*c.within/(c.within+e.plus(leastVariance).variance))
}
