package speed

import "math"

// A slow endpoint's first response comes late: a prompt of 200,000 tokens takes four small cards twenty minutes, and until then nothing
// that has ended tells how slow they are. But a prompt that is under way there for so long, and has shown no first token, bounds the
// speed from above. So of an endpoint that has shown too little its few responses count with one that is under way, as if its first token
// came now, and scatter as those do that have shown enough. It lasts no longer than that prompt, and so is no belief: an endpoint that only stalls
// gets little in that time, too.

// underway is one of this worker's prompts at an endpoint.
type underway struct {
	sent   int64   // ns: when the whole of it was; 0: there is none
	ahead  float64 // tokens that were queued before it
	tokens float64 // of it, to compute
	cached float64 // the rest of it
}

// Watch takes a prompt whose whole was sent to endpoint i as the one under way there, and says whether it is: if the endpoint has none, and
// has shown too little. ahead is the tokens that were queued before it, tokens those of it to compute, and cached the rest of it.
func (s *Speeds) Watch(i int, ahead, tokens, cached float64, now int64) bool {
	e := &s.ends[i]
	if e.underway.sent != 0 || s.Knows(i) {
		return false
	}
	e.underway = underway{max(now, 1), ahead, tokens, cached}
	return true
}

// Unwatch is Watch's end: the first token has come, or the request has left.
func (s *Speeds) Unwatch(i int) { s.ends[i].underway = underway{} }

// sample is it as if its first token came now. What is longer than all of the pool's responses would take no longer than if all their
// time had gone to pairs.
func (u *underway) sample(c *curve, all *Sums, now int64) (s Sums) {
	own := u.cached + u.tokens/2
	s.sample(u.ahead+u.tokens, float64(now-u.sent)/1e9, float64(u.tokens*own)+float64(u.ahead*max(own, all[sumZ]/all[sumX])))
	if most, expected := all[sumYZ]/all[sumZZ]*s[sumZ], c.expected(&s); most > expected {
		s[sumY] *= expected / most
	}
	return s
}

// awaits says whether a prompt is under way at an endpoint that has shown too little.
func (s *Speeds) awaits() bool {
	for i := range s.ends {
		if s.ends[i].underway.sent != 0 {
			return true
		}
	}
	return false
}

// addSlow adds those endpoints that have shown too little, but that they are slow. all is what all have shown at one of mean speed, and
// scatter how those scatter that have shown enough, which c has.
func (s *Speeds) addSlow(all *Sums, scatter float64, c *comparison, now int64) {
	equal := c.equal // without those that are added
	if equal.n == 0 {
		return
	}
	for i := range s.ends {
		if !s.ends[i].present || s.shown[i] != (estimate{}) {
			continue
		}
		of := s.ends[i].Sums
		if u := &s.ends[i].underway; u.sent != 0 && u.sent < now {
			if under := u.sample(&s.curve, all, now); of[sumN] == 0 || s.curve.ratio(&under) > s.curve.ratio(&of) { // it takes so long at least
				of = of.Plus(&under, 1)
			}
		}
		if of[sumN] == 0 {
			continue
		}
		e := s.curve.rough(&of, scatter)
		if e.value <= mostApart && e.value-equal.mean() > sigmas*math.Sqrt(e.variance+like*like) {
			s.shown[i] = e
			c.add(s.ends[i].kind, e)
		}
	}
}
