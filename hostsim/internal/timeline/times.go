package timeline

import (
	"cmp"
	"math"
	"slices"

	"warmroute/hostsim/internal/clocks"
)

// times gives a time to what has none, or one that cannot be when its request came.
func (m *maker) times() {
	gap := cmp.Or(m.options.Gap.Seconds(), 1)
	m.account.Gap = gap
	m.choose()
	m.alike()
	m.near()
	first := -1
	for i, r := range m.calls {
		switch {
		case !r.Timed && m.account.Untimed == nil:
			m.account.Untimed = r
		case r.Timed:
			m.account.Timed++
			if first < 0 {
				first = i
			}
		}
	}
	before := 0.0
	if first >= 0 {
		before = m.calls[first].At
	}
	for i, r := range m.calls {
		switch {
		case first < 0:
			r.At = float64(i-r.Turn)*gap + float64(r.Turn)*max(Pause, gap)
		case !r.Timed:
			r.At = before
		}
		before = r.At
	}
}

// alike takes the time from what counts from another beginning than most do.
func (m *maker) alike() {
	dates, others := 0, 0
	for _, r := range m.calls {
		switch {
		case r.Timed && r.At >= clocks.SinceEpoch:
			dates++
		case r.Timed:
			others++
		}
	}
	for _, r := range m.calls {
		if r.Timed && (r.At >= clocks.SinceEpoch) != (dates >= others) {
			r.Timed = false
		}
	}
}

const (
	fewest  = 5         // calls of which one may be said to be far from the others
	farther = 100       // than so many times the span that most are in
	apartBy = 24 * 3600 // s, and than that
)

// near takes the time from what is far from all others, as of a clock that was wrong: from the middle one farther than a day, and than
// 100 times the span of all but one in twenty at either end.
func (m *maker) near() {
	var all []float64
	for _, r := range m.calls {
		if r.Timed {
			all = append(all, r.At)
		}
	}
	if len(all) < fewest {
		return
	}
	slices.Sort(all)
	cut := max(1, len(all)/20)
	limit := max(apartBy, farther*(all[len(all)-1-cut]-all[cut]))
	for _, r := range m.calls {
		if r.Timed && math.Abs(r.At-all[len(all)/2]) > limit {
			r.Timed = false
		}
	}
}

// Pause is how far apart the turns of a conversation are taken to begin, in seconds: an answer, and the time to read it.
const Pause = 20
