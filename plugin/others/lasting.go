package others

// Lasting is how much of an endpoint's excess over the mean lasts.
type Lasting struct {
	Mean         float64 // at an endpoint
	before, both float64 // sums as above: the square of an excess; and it times that on the page after it
	lasts        float64 // share that is still there on the next page, 0 to 1; before there is one, 0
}

// Shown is what a page shows that was not counted here, and its excess over the mean when Take took the page.
type Shown struct{ Number, excess float64 }

// Differs says whether something else is expected than before, without a new page.
func (l *Lasting) Differs(was *Lasting) bool {
	return l.lasts != was.lasts || l.lasts < 1 && l.Mean != was.Mean
}

// Take counts what a page shows; again says that one before it was counted.
//
//go:noinline
func (l *Lasting) Take(s *Shown, again bool) {
	excess := s.Number - l.Mean
	if again {
		l.before, l.both = l.before+float64(s.excess*s.excess), l.both+float64(s.excess*excess)
	}
	s.excess = excess
}

// Fade lets what was taken count for less: faded, 0 to 1, times as much.
func (l *Lasting) Fade(faded float64) { l.before, l.both = l.before*faded, l.both*faded }

// Solve is to be called when all pages are taken.
func (l *Lasting) Solve() {
	if l.lasts = 0; l.before > 0 {
		l.lasts = min(max(l.both/l.before, 0), 1)
	}
}

// Expected is how much of what a page shows is probably there until the next one comes.
func (l *Lasting) Expected(s *Shown) float64 {
	return max(l.Mean+float64((s.Number-l.Mean)*l.lasts), 0)
}

// Average is the mean of what endpoints show. One whose page says something else each time, because it lies or is broken, would make all
// others seem as full as it is on average, and lift the bounds of load, or let others' prompts wait for it: it counts with no more than all
// others together, and what Mean allows one that is alone.
type Average struct{ n, sum, most float64 }

// Lone is the requests that an endpoint may have when others' pages show none. Of prompts that wait it may have none: what waits at one endpoint
// alone is no reason to do anything at the others.
const Lone = 64

// Add counts an endpoint. (max asks for NaN, which this is not.)
func (a *Average) Add(number float64) {
	a.n, a.sum = a.n+1, a.sum+number
	if number > a.most {
		a.most = number
	}
}

// Mean is the mean of all that were added; the largest counts at most as much as the others together, and lone.
func (a *Average) Mean(lone float64) float64 {
	above := 0.0
	if a.n > 1 {
		above = max(a.most-max(a.sum-a.most, 0)-lone, 0)
	}
	return (a.sum - above) / max(a.n, 1)
}
