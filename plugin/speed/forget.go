package speed

// An endpoint that counts as slow may get no requests for that, and then nothing would ever say that it is so no longer: that it has been
// compiled, has lost a noisy neighbour, or is another server. What nobody has seen for a time t after it had lasted for t is over as likely as
// not (Gott, "Implications of the Copernican principle for our future prospects", Nature 363, 1993, https://doi.org/10.1038/363315a0). So a slow
// endpoint that shows nothing for as long as it was seen to be slow is one of which nothing is known: the next request tells. If it is as slow
// as before, it is left for twice as long.

// leastSeen is the time for which an endpoint is taken to have been slow at least, in nanoseconds: to ask one that is costs somebody a late response.
const leastSeen = 60e9

// slowness is since when an endpoint counts as slow, and when that was last seen, in nanoseconds.
type slowness struct {
	since, seen int64   // 0: it does not
	n, seconds  float64 // of what it had shown at the last look: the number, and their times
}

// forget drops what the endpoints have shown that count as slow and show nothing any more. To be called about once a second. Other workers
// and gateways drop theirs.
func (s *Speeds) forget(now int64) {
	for i := range s.ends {
		e := &s.ends[i]
		k := &e.slowness
		switch {
		case !e.present || e.slower <= 1 && min(k.n, e.Sums[sumN]) >= enough: // it was compared by as many
			*k = slowness{}
			continue
		case e.slower <= 1:
			k.look(&e.Sums)
			continue // not known, or not any more
		case k.since == 0 || now < k.seen: // the clock was set back
			k.since, k.seen = max(now, 1), now
			k.look(&e.Sums)
		case e.Sums[sumN] != k.n || e.Sums[sumY] != k.seconds:
			if e.Sums[sumN] >= k.n { // else somebody has dropped some
				k.seen = now
			}
			k.look(&e.Sums)
		}
		if now-k.seen > max(k.seen-k.since, leastSeen) {
			s.Forget(i)
			k.seen = now
		}
	}
}

func (k *slowness) look(shown *Sums) { k.n, k.seconds = shown[sumN], shown[sumY] }

// Forget drops what this worker's responses from endpoint i have shown: its server is another one, or has not been seen for long.
func (s *Speeds) Forget(i int) {
	e := &s.ends[i]
	others := e.others
	e.line, e.depth = line{}, depth{}
	e.setOthers(others)
	e.solve()
	e.slowness.look(&e.Sums)
	s.learned = true
}
