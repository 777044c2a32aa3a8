package clocks

import (
	"strings"
	"time"
)

// zones are the offsets from UTC, in minutes, of abbreviations that logs write instead of a number. time.Parse knows only those of
// the machine that it runs on, and takes others for UTC.
var zones = map[string]int{
	"WEST": 60, "BST": 60, "CET": 60, "CEST": 120, "EET": 120, "EEST": 180, "MSK": 180, "IST": 330, "SGT": 480, "HKT": 480, "JST": 540, "KST": 540,
	"AWST": 480, "AEST": 600, "AEDT": 660, "NZST": 720, "NZDT": 780, "BRT": -180, "EST": -300, "EDT": -240, "CST": -360, "CDT": -300, "MST": -420, "MDT": -360,
	"PST": -480, "PDT": -420,
}

// unix is a time that was read by a layout, in s since 1970.
func unix(t time.Time, layout string) float64 {
	s := float64(t.Unix()) + float64(t.Nanosecond())/1e9
	if !strings.HasSuffix(layout, "MST") && layout != time.UnixDate || strings.Contains(layout, "-0700") {
		return s
	}
	name, offset := t.Zone()
	if minutes, known := zones[name]; known {
		s += float64(offset - 60*minutes)
	}
	return s
}
