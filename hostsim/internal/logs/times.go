package logs

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"warmroute/hostsim/internal/clocks"
)

// times gives a time to what has none, or one that cannot be when its request came.
func (c *collector) times() {
	gap := cmp.Or(c.options.Gap.Seconds(), 1)
	c.report.Gap = gap
	c.choose()
	c.alike()
	c.near()
	first := -1
	for i, r := range c.records {
		switch {
		case !r.Timed && c.report.Untimed == nil:
			c.report.Untimed = r
		case r.Timed:
			c.report.Timed++
			if first < 0 {
				first = i
			}
		}
	}
	before := 0.0
	if first >= 0 {
		before = c.records[first].At
	}
	for i, r := range c.records {
		switch {
		case first < 0:
			r.At = float64(i-r.Turn)*gap + float64(r.Turn)*max(pause, gap)
		case !r.Timed:
			r.At = before
		}
		before = r.At
	}
}

// alike takes the time from what counts from another beginning than most do.
func (c *collector) alike() {
	dates, others := 0, 0
	for _, r := range c.records {
		switch {
		case r.Timed && r.At >= clocks.SinceEpoch:
			dates++
		case r.Timed:
			others++
		}
	}
	for _, r := range c.records {
		if r.Timed && (r.At >= clocks.SinceEpoch) != (dates >= others) {
			r.Timed = false
		}
	}
}

const (
	fewest  = 5         // records of which one may be said to be far from the others
	farther = 100       // than so many times the span that most are in
	apartBy = 24 * 3600 // s, and than that
)

// near takes the time from what is far from all others, as of a clock that was wrong: from the middle one farther than a day, and than
// 100 times the span of all but one in twenty at either end.
func (c *collector) near() {
	var all []float64
	for _, r := range c.records {
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
	for _, r := range c.records {
		if r.Timed && math.Abs(r.At-all[len(all)/2]) > limit {
			r.Timed = false
		}
	}
}

// clocked says where the first record without a time is, and what the log has in its place.
func (r *Report) clocked() string {
	if r.Untimed == nil || r.Untimed.Clock == "" {
		return ""
	}
	return fmt.Sprintf(" (%s:%d has %s)", r.Untimed.Place.File, r.Untimed.Place.Line, r.Untimed.Clock)
}
