package logs

import (
	"cmp"
	"fmt"
)

// place is where a record stands.
type place struct {
	file string
	line int
}

// sinceEpoch is the least time that is taken to count from 1970, in s; a smaller one counts from the log's beginning.
const sinceEpoch = 1e8

// times gives a time to what has none, or one that counts from another beginning than most have.
func (c *collector) times() {
	gap := cmp.Or(c.options.Gap.Seconds(), 1)
	c.report.Gap = gap
	dates, others := 0, 0
	for _, r := range c.records {
		switch {
		case r.timed && r.at >= sinceEpoch:
			dates++
		case r.timed:
			others++
		}
	}
	first := -1
	for i, r := range c.records {
		if r.timed && (r.at >= sinceEpoch) != (dates >= others) {
			r.timed = false
		}
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

// clocked says where the first record without a time is, and what the log has in its place.
func (r *Report) clocked() string {
	if r.Untimed == nil || r.Untimed.clock == "" {
		return ""
	}
	return fmt.Sprintf(" (%s:%d has %s)", r.Untimed.place.file, r.Untimed.place.line, r.Untimed.clock)
}

// clockOf is the member of a record that is to be its time, for messages; "": it has none.
func clockOf(o object) string {
	for _, name := range o.names(startNames, false) {
		if filled(o[name]) {
			return name + ": " + short(string(o[name]), 40)
		}
	}
	return ""
}
