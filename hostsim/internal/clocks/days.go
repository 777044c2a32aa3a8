package clocks

import (
	"math"

	"warmroute/hostsim/internal/loose"
)

// Spreadsheets count days since 1899-12-30, which is serialZero days before 1970. Between are those of 1954 to 2119.
const (
	serialZero            = 25569
	serialLow, serialHigh = 20_000, 80_000
	serialSpan            = 3660 // days: no log is longer
	secondsOfDay          = 24 * 3600
)

func isSerial(n float64) bool { return n > serialLow && n < serialHigh }

func hasFraction(n float64) bool { return n != math.Trunc(n) }

// FromDays makes seconds of days, where all times of a member are such days, most of them with a part of one. all are the times of each
// record of a log, and are changed.
func FromDays(all [][]Reading) {
	type seen struct {
		n, parts  int
		low, high float64
		other     bool
	}
	members := map[Member]*seen{}
	for _, times := range all {
		for _, one := range times {
			s := members[one.Member()]
			if s == nil {
				s = &seen{low: one.Raw, high: one.Raw}
				members[one.Member()] = s
			}
			s.n++
			s.low, s.high = min(s.low, one.Raw), max(s.high, one.Raw)
			s.other = s.other || !isSerial(one.Raw)
			if hasFraction(one.Raw) {
				s.parts++
			}
		}
	}
	for _, times := range all {
		for i := range times {
			one := &times[i]
			s := members[one.Member()]
			if s.other || 2*s.parts <= s.n || s.high-s.low > serialSpan || one.Name == "" || loose.Plain(one.Name) == "t" {
				continue
			}
			raw := (one.Raw - serialZero) * secondsOfDay
			one.At += raw - one.Raw
			if one.Raw = raw; one.Both {
				one.Took = Lasting(one.Took * secondsOfDay)
			}
		}
	}
}
