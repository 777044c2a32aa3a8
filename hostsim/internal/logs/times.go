package logs

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"warmroute/hostsim/internal/clocks"
)

// place is where a record stands.
type place struct {
	file string
	line int
}

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
		case !r.timed && c.report.Untimed == nil:
			c.report.Untimed = r
		case r.timed:
			c.report.Timed++
			if first < 0 {
				first = i
			}
		}
	}
	before := 0.0
	if first >= 0 {
		before = c.records[first].at
	}
	for i, r := range c.records {
		switch {
		case first < 0:
			r.at = float64(i-r.turn)*gap + float64(r.turn)*max(pause, gap)
		case !r.timed:
			r.at = before
		}
		before = r.at
	}
}

// alike takes the time from what counts from another beginning than most do.
func (c *collector) alike() {
	dates, others := 0, 0
	for _, r := range c.records {
		switch {
		case r.timed && r.at >= clocks.SinceEpoch:
			dates++
		case r.timed:
			others++
		}
	}
	for _, r := range c.records {
		if r.timed && (r.at >= clocks.SinceEpoch) != (dates >= others) {
			r.timed = false
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
		if r.timed {
			all = append(all, r.at)
		}
	}
	if len(all) < fewest {
		return
	}
	slices.Sort(all)
	cut := max(1, len(all)/20)
	limit := max(apartBy, farther*(all[len(all)-1-cut]-all[cut]))
	for _, r := range c.records {
		if r.timed && math.Abs(r.at-all[len(all)/2]) > limit {
			r.timed = false
		}
	}
}

// clocked says where the first record without a time is, and what the log has in its place.
func (r *Report) clocked() string {
	if r.Untimed == nil || r.Untimed.clock == "" {
		return ""
	}
	return fmt.Sprintf(" (%s:%d has %s)", r.Untimed.place.file, r.Untimed.place.line, r.Untimed.clock)
}
