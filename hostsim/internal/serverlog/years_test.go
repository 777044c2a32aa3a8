package serverlog

import "testing"

// Lines of several processes are not quite in order: one of the old year behind the first of the new one begins no year.
func TestYearsBegin(t *testing.T) {
	const day = 86400
	for _, lines := range [][]struct {
		at   string
		want float64 // s after the first
	}{
		{{"12-31 23:59:58", 0}, {"01-01 00:00:01", 3}, {"12-31 23:59:59", 1}, {"01-01 00:00:02", 4}, {"12-31 00:00:03", 365*day - day + 5}, {"01-01 00:00:00", 365*day + 2}},
		{{"01-01 00:00:01", 0}, {"12-31 23:59:59", -2}, {"01-01 00:00:02", 1}},
		{{"01-05 00:00:00", 0}, {"12-20 00:00:00", 350 * day}}, // nothing was asked for most of a year
	} {
		var v vllmLog
		first := 0.0
		for i, line := range lines {
			at, ok := v.time("INFO " + line.at + " [logger.py:43] ")
			if i == 0 {
				first = at
			}
			if !ok || at-first != line.want {
				t.Errorf("%s (%d): %v s after the first, %v; want %v", line.at, i, at-first, ok, line.want)
			}
		}
	}
}
