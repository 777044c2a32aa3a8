package timeline

import (
	"fmt"
	"math"

	"warmroute/hostsim/internal/call"
	"warmroute/hostsim/internal/clocks"
)

// choose gives each call the first of its times that stands where times differ: one that all calls have alike is that of a model
// or of an export, say, or was never set.
func (m *maker) choose() {
	tooks, times := make([]float64, len(m.calls)), make([][]clocks.Reading, len(m.calls))
	for i, r := range m.calls {
		tooks[i], times[i] = r.Took, r.Clocks
	}
	clocks.FromDays(times)
	barred := map[clocks.Member]bool{}
	for {
		chosen := m.read(barred, tooks)
		note, none := m.stuck(chosen)
		if none == nil {
			for i := len(chosen) - 1; i >= 0; i-- {
				if chosen[i] == nil {
					continue
				}
				if m.account.Instead = chosen[i].Where(); m.calls[i].Unread != "" {
					m.account.Unread++
					m.account.Misread, m.account.Other = m.calls[i], m.account.Instead
				}
			}
			return
		}
		m.account.Stuck = append(m.account.Stuck, note)
		for _, where := range none {
			barred[where] = true
		}
	}
}

// read takes for each call the first time that does not stand where they are barred, nil where there is none. tooks are how long
// answers took, where the time does not say it.
func (m *maker) read(barred map[clocks.Member]bool, tooks []float64) []*clocks.Reading {
	chosen := make([]*clocks.Reading, len(m.calls))
	for i, r := range m.calls {
		r.Timed, r.Took = false, tooks[i]
		for j := range r.Clocks {
			if one := &r.Clocks[j]; !barred[one.Member()] {
				chosen[i], r.At, r.Timed = one, one.At, true
				if one.Took > 0 {
					r.Took = one.Took
				}
				break
			}
		}
		if chosen[i] != nil && chosen[i].Name != "" {
			r.Clock = chosen[i].String()
		}
	}
	return chosen
}

const (
	least  = 3     // calls whose times may be said to be all the same
	many   = 10    // calls of which most may be
	atOnce = 0.001 // s a request: no log that can be replayed has them closer
)

// stuck finds times that are not when the requests came: all are the same or most are, or all are within less than a millisecond for
// each. It returns what to say of it, and where they stand; nil: there are none.
func (m *maker) stuck(chosen []*clocks.Reading) (note string, at []clocks.Member) {
	n, same, low, high := 0, 0.0, math.Inf(1), math.Inf(-1)
	counts := map[float64]int{}
	what := "request"
	for i, r := range chosen {
		switch {
		case m.calls[i].Paced:
			what = "conversation"
		case r != nil:
			n++
			low, high = min(low, r.Raw), max(high, r.Raw)
			if counts[r.Raw]++; counts[r.Raw] > counts[same] {
				same = r.Raw
			}
		}
	}
	most := counts[same]
	alike := most == n && n >= least || n >= many && 2*most > n
	if !alike && (n < many || high-low >= float64(n)*atOnce) {
		return "", nil
	}
	var first *call.Call
	known := map[clocks.Member]bool{}
	for i, r := range chosen {
		if r == nil || alike && r.Raw != same {
			continue
		}
		if first == nil {
			first = m.calls[i]
			note = fmt.Sprintf("%s:%d", first.Place.File, first.Place.Line)
			if r.Name != "" {
				note += " has " + r.String()
			}
		}
		if where := r.Member(); !known[where] {
			known[where] = true
			at = append(at, where)
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
