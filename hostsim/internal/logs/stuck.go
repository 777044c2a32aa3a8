package logs

import (
	"fmt"
	"math"

	"warmroute/hostsim/internal/loose"
)

// member is where times stand, in each record that has them there.
type member struct {
	name  string
	level int
}

func (r reading) member() member { return member{r.name, r.level} }

// choose gives each record the first of its times that stands where times differ: one that all records have alike is that of a model
// or of an export, say, or was never set.
func (c *collector) choose() {
	c.serials()
	tooks := make([]float64, len(c.records))
	for i, r := range c.records {
		tooks[i] = r.took
	}
	barred := map[member]bool{}
	for {
		chosen := c.read(barred, tooks)
		note, none := c.stuck(chosen)
		if none == nil {
			for i := len(chosen) - 1; i >= 0; i-- {
				if chosen[i] == nil {
					continue
				}
				if c.report.instead = chosen[i].where(); c.records[i].unread != "" {
					c.report.Unread++
					c.report.unread, c.report.other = c.records[i], c.report.instead
				}
			}
			return
		}
		c.report.stuck = append(c.report.stuck, note)
		for _, m := range none {
			barred[m] = true
		}
	}
}

// where names the place of a time in a sentence.
func (r reading) where() string {
	switch {
	case r.name == "":
		return "the time of the line"
	case r.level > 0:
		return r.name + " of the log around it"
	}
	return r.name
}

// read takes for each record the first time that does not stand where they are barred, nil where there is none. tooks are how long
// answers took, where the time does not say it.
func (c *collector) read(barred map[member]bool, tooks []float64) []*reading {
	chosen := make([]*reading, len(c.records))
	for i, r := range c.records {
		r.timed, r.took = false, tooks[i]
		for j := range r.clocks {
			if one := &r.clocks[j]; !barred[one.member()] {
				chosen[i], r.at, r.timed = one, one.at, true
				if one.took > 0 {
					r.took = one.took
				}
				break
			}
		}
		if chosen[i] != nil && chosen[i].name != "" {
			r.clock = chosen[i].String()
		}
	}
	return chosen
}

const (
	least  = 3     // records whose times may be said to be all the same
	many   = 10    // records of which most may be
	atOnce = 0.001 // s a request: no log that can be replayed has them closer
)

// stuck finds times that are not when the requests came: all are the same or most are, or all are within less than a millisecond for
// each. It returns what to say of it, and where they stand; nil: there are none.
func (c *collector) stuck(chosen []*reading) (note string, at []member) {
	n, same, low, high := 0, 0.0, math.Inf(1), math.Inf(-1)
	counts := map[float64]int{}
	what := "request"
	for i, r := range chosen {
		switch {
		case c.records[i].paced:
			what = "conversation"
		case r != nil:
			n++
			low, high = min(low, r.raw), max(high, r.raw)
			if counts[r.raw]++; counts[r.raw] > counts[same] {
				same = r.raw
			}
		}
	}
	most := counts[same]
	alike := most == n && n >= least || n >= many && 2*most > n
	if !alike && (n < many || high-low >= float64(n)*atOnce) {
		return "", nil
	}
	var first *record
	known := map[member]bool{}
	for i, r := range chosen {
		if r == nil || alike && r.raw != same {
			continue
		}
		if first == nil {
			first = c.records[i]
			note = fmt.Sprintf("%s:%d", first.place.file, first.place.line)
			if r.name != "" {
				note += " has " + r.String()
			}
		}
		if m := r.member(); !known[m] {
			known[m] = true
			at = append(at, m)
		}
	}
	count := fmt.Sprintf("All %d %ss", n, what)
	if alike && most < n {
		count = fmt.Sprintf("%d of %d %ss", most, n, what)
	}
	if alike {
		return fmt.Sprintf("%s have the same time (%s): it is not when they came.", count, note), at
	}
	return fmt.Sprintf("%s have times within %.3g ms (%s): these are not when they came.", count, 1e3*(high-low), note), at
}

// Spreadsheets count days since 1899-12-30, which is serialZero days before 1970. Between are those of 1954 to 2119.
const (
	serialZero            = 25569
	serialLow, serialHigh = 20_000, 80_000
	serialSpan            = 3660 // days: no log is longer
	secondsOfDay          = 24 * 3600
)

func isSerial(n float64) bool { return n > serialLow && n < serialHigh }

func hasFraction(n float64) bool { return n != math.Trunc(n) }

// serials makes seconds of days, where all times of a member are such days, most of them with a part of one.
func (c *collector) serials() {
	type seen struct {
		n, parts  int
		low, high float64
		other     bool
	}
	all := map[member]*seen{}
	for _, r := range c.records {
		for _, one := range r.clocks {
			s := all[one.member()]
			if s == nil {
				s = &seen{low: one.raw, high: one.raw}
				all[one.member()] = s
			}
			s.n++
			s.low, s.high = min(s.low, one.raw), max(s.high, one.raw)
			s.other = s.other || !isSerial(one.raw)
			if hasFraction(one.raw) {
				s.parts++
			}
		}
	}
	for _, r := range c.records {
		for i := range r.clocks {
			one := &r.clocks[i]
			s := all[one.member()]
			if s.other || 2*s.parts <= s.n || s.high-s.low > serialSpan || one.name == "" || loose.Plain(one.name) == "t" {
				continue
			}
			raw := (one.raw - serialZero) * secondsOfDay
			one.at += raw - one.raw
			if one.raw = raw; one.both {
				one.took = lasting(one.took * secondsOfDay)
			}
		}
	}
}
