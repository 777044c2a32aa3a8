package speed

import (
	"math"

	"warmroute/plugin/logexp"
)

// An endpoint that counts as slow may get no requests for that, and then nothing would ever say that it is so no longer: that it has been
// compiled, has lost a noisy neighbour, or is another server. What nobody has seen for a time t after it had lasted for t is over as likely as
// not (Gott, "Implications of the Copernican principle for our future prospects", Nature 363, 1993, https://doi.org/10.1038/363315a0). Until then
// slowness counts whole, and from then on ever less: after 2 t the root of it, from 3 t on the third root, for many slow endpoints are slow cards. So
// requests come that cost least there, and one that is late shows that all is as it was, for as long again as it is known to be so. One that is not
// takes half of the weight of all that the endpoint had shown.

// leastSeen is the time for which an endpoint is taken to have been slow at least, in nanoseconds: to ask one that is costs somebody a late response.
const leastSeen = 60e9

// stays is the part of the logarithm of slowness that does not fade (judged).
const stays = 1 / 3.

// slowness is since when an endpoint counts as slow, and when that was last seen, in nanoseconds.
type slowness struct {
	since, seen int64   // 0: it does not
	n, seconds  float32 // of what it had shown at the last look: the number, and their times
	left        float32 // the part of its logarithm that counts, above 0; 0: all of it
}

// forget lets the slowness of endpoints fade that nobody sees any more. To be called about once a second.
func (s *Speeds) forget(now int64) {
	for i := range s.ends {
		e := &s.ends[i]
		k := &e.slowness
		switch {
		case !e.present || e.slower <= 1 && min(k.n, float32(e.Sums[sumN])) >= enough: // it was compared by as many
			*k = slowness{}
			continue
		case e.slower <= 1: // not known, or not any more
		case k.since == 0 || now < k.seen: // the clock was set back
			k.since, k.seen = max(now, 1), now
		case (float32(e.Sums[sumN]) != k.n || float32(e.Sums[sumY]) != k.seconds) && float32(e.Sums[sumN]) >= k.n: // else somebody has seen that it is not, or was set anew
			k.seen = now
		}
		k.look(&e.Sums)
	}
	s.seeKinds()
	for i := range s.ends {
		if e := &s.ends[i]; e.present && e.slowness.fade(now) {
			s.learned = true
		}
	}
}

// seeKinds takes the slowness of an endpoint as seen when that of another of its kind was, as long as kinds alone are apart.
func (s *Speeds) seeKinds() {
	if !s.apart.is || s.odd.is {
		return
	}
	var seen [mostKinds + 1]int64
	for i := range s.ends {
		if e := &s.ends[i]; e.present {
			seen[e.kind] = max(seen[e.kind], e.seen)
		}
	}
	for i := range s.ends {
		if e := &s.ends[i]; e.since > 0 {
			e.seen = max(e.seen, seen[e.kind])
		}
	}
}

func (k *slowness) look(shown *Sums) { k.n, k.seconds = float32(shown[sumN]), float32(shown[sumY]) }

// fade sets what is left at now, and says whether that has changed by what is worth another look.
func (k *slowness) fade(now int64) bool {
	left := float32(0)
	if seen, silent := max(k.seen-k.since, leastSeen), now-k.seen; k.since > 0 && silent > seen {
		left = max(float32(float64(seen)/float64(silent)), stays)
	}
	if left > 0 && left <= k.left && left > 0.98*k.left {
		return false
	}
	was := k.left
	k.left = left
	return left != was
}

// count sets how many times as long each endpoint counts as taking, and says whether that has changed: what fades comes nearer to the others.
func (s *Speeds) count() (changed bool) {
	n, others := 0., 0.
	for i := range s.ends {
		if e := &s.ends[i]; e.present && e.left == 0 {
			n, others = n+1, others+logexp.Log(e.shown())
		}
	}
	for i := range s.ends {
		e := &s.ends[i]
		counted := e.slower
		if e.left > 0 && n > 0 {
			if apart := logexp.Log(e.shown()) - others/n; apart > 0 {
				counted = logexp.Exp(others/n + float64(apart*float64(e.left)))
			}
		}
		if e.counted != counted {
			e.counted, changed = counted, true
		}
	}
	return changed
}

// doubt halves what this worker's responses from endpoint i have shown, if one that took so many times as long as at an endpoint of mean speed
// is nearer to that than to slowness that nobody has seen for long.
func (s *Speeds) doubt(i int, times float64) {
	e := &s.ends[i]
	if e.left == 0 || times >= math.Sqrt(e.slower) {
		return
	}
	for k := range e.own {
		e.own[k] /= 2
	}
	e.own[sumNN] /= 2 // of squares of weights
	e.setOthers(e.others)
}

// Forget drops what this worker's responses from endpoint i have shown: its server is another one.
func (s *Speeds) Forget(i int) {
	e := &s.ends[i]
	others := e.others
	e.line, e.depth = line{}, depth{}
	e.setOthers(others)
	e.solve()
	e.slowness = slowness{}
	e.slowness.look(&e.Sums)
	s.learned = true
}
