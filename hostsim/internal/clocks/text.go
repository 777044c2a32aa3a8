package clocks

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// layouts are the forms of times in logs, beside numbers.
var layouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999Z07", "2006-01-02T15:04:05.999999999Z07", "2006-01-02 15:04:05.999999999 -0700", "2006-01-02 15:04:05.999999999",
	"2006-01-02T15:04:05.999999999-0700", "02/Jan/2006:15:04:05 -0700", "2006/01/02 15:04:05.999999999", time.RFC1123, time.RFC1123Z,
	"2006-01-02 15:04:05.999999999 -0700 MST", "2006-01-02 15:04:05.999999999 MST", "2006-01-02 15:04", "20060102T150405Z0700", time.ANSIC, time.UnixDate,
	"Mon Jan 02 2006 15:04:05 GMT-0700", "Jan 2, 2006 @ 15:04:05.999999999", "Jan 2, 2006, 3:04:05 PM", "02-Jan-2006 15:04:05.999999999", "2 Jan 2006 15:04:05.999999999", // the first JavaScript's, the second Kibana's
	"02.01.2006 15:04:05", "02.01.2006 15:04", "1/2/2006 3:04:05 PM", "1/2/2006, 3:04:05 PM", // of numbers with slashes alone nobody knows which is the day
}

// priority is what syslog's lines begin with (RFC 5424, 6.2).
var priority = regexp.MustCompile(`^<\d{1,3}>(?:\d{1,2} )?`)

// javaZone is the name of a zone that Java's ZonedDateTime writes behind the offset.
var javaZone = regexp.MustCompile(`\[[A-Z][A-Za-z]+(?:/[A-Za-z_/-]+)?\]$`)

// pythonMillis is the comma that Python's logging has before the milliseconds.
var pythonMillis = regexp.MustCompile(`(:\d\d),(\d)`)

// Seconds reads a time, in s: of a form in layouts, or a number, which is seconds, ms, µs or ns since 1970 by its size, or
// seconds since the log began if it is smaller than any of these. false: it is none.
func Seconds(s string) (float64, bool) {
	s, _, _ = strings.Cut(strings.ReplaceAll(s, "\u202f", " "), " (") // which browsers put before AM, and the name of a zone after its offset
	if s = javaZone.ReplaceAllString(strings.TrimSpace(s), ""); strings.Contains(s, ",") {
		s = pythonMillis.ReplaceAllString(s, "$1.$2")
	}
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		switch {
		case !(n >= 0 && n < 1e19):
			return 0, false
		case n >= 1e17:
			return n / 1e9, true
		case n >= 1e14:
			return n / 1e6, true
		case n >= 1e11:
			return n / 1e3, true
		}
		return n, true
	}
	if whole, part, ok := strings.Cut(s, ","); ok { // as spreadsheets write numbers in many countries
		if n, err := strconv.ParseFloat(whole+"."+part, 64); err == nil && n >= 0 && n < 1e11 {
			return n, true
		}
	}
	if s = strings.TrimSuffix(strings.TrimPrefix(s, "["), "]"); !strings.ContainsAny(s, ":T") || digits(s) < 10 { // as all layouts have
		return 0, false
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, s); err == nil && t.Unix() >= 0 { // some programs write none as that of year 1
			return unix(t, layout), true
		}
	}
	return 0, false
}

func digits(s string) (n int) {
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			n++
		}
	}
	return n
}

// Prefix reads the time at the beginning of what a collector has put before a record, in s since 1970.
func Prefix(prefix string) (float64, bool) {
	words := strings.Fields(priority.ReplaceAllString(prefix, ""))
	for n := min(len(words), 3); n > 0; n-- {
		if at, ok := Seconds(strings.Join(words[:n], " ")); ok && at > SinceEpoch {
			return at, true
		}
	}
	return 0, false
}

// stamp is a date with its year and a time of day.
var stamp = regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?`)

// Dated is the first date with a time of day that a line of text has, which Seconds reads; "": it has none.
func Dated(line string) string { return stamp.FindString(line) }

// SinceEpoch is the least time that is taken to count from 1970, in s; a smaller one counts from the log's beginning.
const SinceEpoch = 1e8
