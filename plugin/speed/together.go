package speed

import (
	"math"

	"warmroute/plugin/logexp"
)

// Together learns how many endpoints of one host work at once without slowing each other: those on one GPU or on the same cores do from
// one on, those with a GPU each never. It compares how long a token of a response takes while few and while many of the host's endpoints
// are at work. Between responses with as many of them at work, it learns what further requests at the same endpoint cost, and leaves that
// out: both come with load. Before anything is told either way they are taken to share one processor: then few are at work at times, which
// tells. The zero value has learned nothing.
type Together struct {
	levels [mostTogether + 1]level // by the number at work
	spread spread
	all    int     // responses
	added  int     // those that said something
	fitted int     // likewise, at the last Fit
	told   bool    // it was told by them
	at     float64 // as they told
}

// mostTogether is the number from which all count as one.
const mostTogether = 16

// level is what responses took while about so many endpoints were at work: means, each response weighing at least 1 ÷ levelKeeps.
type level struct {
	n       float64 // responses, at most levelKeeps
	working float64 // ln of the number at work
	beside  float64 // requests at the endpoint
	took    float64 // ln of the seconds for a token
}

// spread is how responses of one level differ, over about the last spreadKeeps: sums of squares and products.
type spread struct{ n, beside, both, took float64 }

const (
	levelKeeps  = 64
	spreadKeeps = 512

	// sure is how many standard deviations the times must tell. It is judged.
	sure = 5

	// fewSpread is the number of responses from which their spread is known.
	fewSpread = 8

	// leastSpread is the least standard deviation that one response is taken to have.
	leastSpread = 0.1

	// leastBeside is the variance of the requests at an endpoint from which they tell what one more costs. Below are last bits.
	leastBeside = 1e-4

	// mostSpread is the standard deviation from which responses of one level differ too much to tell anything.
	mostSpread = 0.4

	// fewLevel is the number of responses from which a level counts in differ, and apart how many times as long tokens should take at one as
	// at another.
	fewLevel, apart = 3, 1.3

	// tie is what is no difference: last bits are not the same on all machines.
	tie = 1e-6

	// assumed is for how many responses, those that say nothing too, endpoints are taken to share a processor though nothing tells.
	assumed = 64
)

// Add takes a response: how many endpoints of its host were at work meanwhile, at least 1, and requests at its endpoint, both on average,
// and the seconds that each of its tokens took.
func (t *Together) Add(working, beside, seconds float64) {
	if !(seconds > 0) {
		return
	}
	working = max(working, 1)
	l := &t.levels[int(min(working+0.5, mostTogether))]
	l.n = min(l.n+1, levelKeeps)
	share := 1 / l.n
	took, more := logexp.Log(seconds)-l.took, beside-l.beside
	l.working += share * (logexp.Log(working) - l.working)
	l.beside += share * more
	l.took += share * took
	const keep = 1 - 1./spreadKeeps
	left := 1 - share
	s := &t.spread
	s.n, s.beside = s.n*keep+left, s.beside*keep+left*more*more
	s.both, s.took = s.both*keep+left*more*took, s.took*keep+left*took*took
	t.all, t.added = t.all+1, t.added+1
}

// Pass takes a response that says nothing: it is not streamed, for instance, or has no usage. Where all are like that nothing ever tells.
func (t *Together) Pass() { t.all++ }

// Fit learns from what was added. It is to be called now and then.
func (t *Together) Fit() {
	if t.added != t.fitted && t.spread.n >= fewSpread {
		t.fit()
	}
	if t.all > assumed && !t.told {
		t.at, t.told = 0, true
	}
}

func (t *Together) fit() {
	t.fitted = t.added
	s := &t.spread
	slope := 0.0
	if s.beside > leastBeside*s.n {
		slope = max(s.both/s.beside, 0)
	}
	noise := max(math.Sqrt(max(s.took-slope*s.both, 0)/s.n), leastSpread)
	clear := sure * sure * noise * noise
	best, least := 0.0, math.Inf(1)
	for _, at := range [...]float64{1, 1.5, 2, 3, 4, 6, 8} {
		if m := t.misses(at, slope); m < least-tie { // those below all levels fit alike
			best, least = at, m
		}
	}
	switch none := t.misses(math.Inf(1), slope); {
	case least < none-clear && noise < mostSpread && t.differ(best):
		t.at, t.told = best, true
	case none < t.misses(1, slope)-clear:
		t.at, t.told = 0, true
	}
}

// differ says whether levels that several responses tell of differ enough in what they should take if so many work at full speed at once.
func (t *Together) differ(at float64) bool {
	least, most := math.Inf(1), 0.0
	for k := range t.levels {
		if l := &t.levels[k]; l.n >= fewLevel {
			slower := max(logexp.Exp(l.working)/at, 1)
			least, most = min(least, slower), max(most, slower)
		}
	}
	return most >= apart*least
}

// misses is the sum of squares by which the levels are off if so many endpoints work at full speed at once, and more of them share what
// those get.
func (t *Together) misses(at, slope float64) float64 {
	var n, sum, squares float64
	limit := logexp.Log(at)
	for k := range t.levels {
		l := &t.levels[k]
		if l.n < fewLevel {
			continue
		}
		off := l.took - slope*l.beside - max(l.working-limit, 0)
		n, sum, squares = n+l.n, sum+l.n*off, squares+l.n*off*off
	}
	if n == 0 {
		return 0
	}
	return squares - sum*sum/n
}

// Together is how many endpoints of a host work at once at full speed; 0: they do not slow each other.
func (t *Together) Together() float64 {
	if !t.told {
		return 1
	}
	return t.at
}

// Told says whether what Together says is more than an assumption.
func (t *Together) Told() bool { return t.told }

// Slows is by what part of their time so many other endpoints at work are slower while one more is.
func (t *Together) Slows(others float64) float64 {
	at := t.Together()
	if at == 0 || others+1 <= at {
		return 0
	}
	return (others+1)/max(others, at) - 1
}
