package logs

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

var (
	startNames = []string{"starttime", "startedat", "timestamp", "time", "ts", "timeiso8601", "msec", "timelocal", "receivedat", "createdat", "created", "datetime", "date", "asctime", "timestampms", "requestcreatedat", "timeunixnano", "starttimeunixnano", "t"}
	endNames   = []string{"endtime", "endedat", "finishedat"}
)

// madeNames are of times that may be those of something else than the request, such as its user.
var madeNames = []string{"created", "createdat", "date", "t"}

// layouts are the forms of times in logs, beside numbers.
var layouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999 -0700", "2006-01-02 15:04:05.999999999",
	"2006-01-02T15:04:05.999999999-0700", "02/Jan/2006:15:04:05 -0700", "2006/01/02 15:04:05.999999999", time.RFC1123, time.RFC1123Z,
	"2006-01-02 15:04:05.999999999 -0700 MST", "2006-01-02 15:04:05.999999999 MST", "2006-01-02 15:04", "20060102T150405Z0700", time.ANSIC, time.UnixDate,
	"02.01.2006 15:04:05", "02.01.2006 15:04", "1/2/2006 3:04:05 PM", "1/2/2006, 3:04:05 PM", // of numbers with slashes alone nobody knows which is the day
}

// pythonMillis is the comma that Python's logging has before the milliseconds.
var pythonMillis = regexp.MustCompile(`(:\d\d),(\d)`)

// seconds reads a time: of a form in layouts, or a number, which is seconds, ms, µs or ns since 1970 by its size, or
// seconds since the log began if it is smaller than any of these.
func seconds(s string) (float64, bool) {
	s = strings.TrimSpace(pythonMillis.ReplaceAllString(s, "$1.$2"))
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
	s = strings.TrimSuffix(strings.TrimPrefix(s, "["), "]")
	for _, layout := range layouts {
		if t, err := time.Parse(layout, s); err == nil && t.Unix() >= 0 { // some programs write none as that of year 1
			return float64(t.Unix()) + float64(t.Nanosecond())/1e9, true
		}
	}
	return 0, false
}

// findTimes returns when a record's request came, and how long its answer took (0: not said).
func findTimes(o object) (at, took float64, ok bool) {
	for _, name := range o.names(startNames, false) {
		if at, ok = seconds(text(o[name])); ok {
			break
		}
	}
	if !ok {
		at, ok = anyTime(o)
	}
	if end, is := seconds(text(o.get(endNames))); is && ok && lasting(end-at) > 0 {
		return at, end - at, true
	}
	for _, name := range o.names(tookNames, false) {
		d, err := strconv.ParseFloat(strings.TrimSuffix(text(o[name]), "s"), 64)
		end := plain(name) == "requesttime" // nginx's, whose times are those of the answer's end
		if !end && plain(name) != "latency" && plain(name) != "responsetime" {
			d /= 1e3 // Envoy's %DURATION% and others: ms, not s
		}
		if err != nil || lasting(d) != d {
			continue
		}
		if took = d; end {
			at -= d
		}
		break
	}
	return at, took, ok
}

// timeInside finds a time in a member that is neither the request nor its answer, such as MLflow's info.
func timeInside(o object) (float64, bool) {
	for _, name := range o.names(nil, true) {
		inner := asObject(o[name])
		if inner == nil || isOne(name, bodyNames) || isOne(name, answerNames) {
			continue
		}
		for _, name := range inner.names(startNames, false) {
			if at, ok := seconds(text(inner[name])); ok && at >= sinceEpoch && !isOne(name, madeNames) {
				return at, true
			}
		}
	}
	return 0, false
}

// lasting is how long an answer took, in seconds; 0: the log has no such time, but a number that is none, or more than a week.
func lasting(took float64) float64 {
	if took > 0 && took <= 7*24*3600 {
		return took
	}
	return 0
}

// Members whose names have one of the first are times, those with one of the others are not when a request came.
var timely, untimely = []string{"time", "date", "created", "start"}, []string{"end", "finish", "update", "expir", "compl", "timeout"}

// anyTime finds a time under a name that nobody foresaw: one that says it is a time, or a text in a form that only times have.
func anyTime(o object) (float64, bool) {
	var other float64
	for _, name := range o.names(nil, true) {
		p, value := plain(name), text(o[name])
		has := func(part string) bool { return strings.Contains(p, part) }
		if value == "" || len(value) > 40 || slices.ContainsFunc(untimely, has) {
			continue
		}
		at, ok := seconds(value)
		if !ok || at < 1e9 || at > 4e9 { // 2001 to 2096
			continue
		}
		if slices.ContainsFunc(timely, has) {
			return at, true
		}
		if _, err := strconv.ParseFloat(value, 64); err != nil && other == 0 {
			other = at
		}
	}
	return other, other > 0
}

// prefixTime reads the time at the beginning of what a collector has put before a record.
func prefixTime(prefix string) (float64, bool) {
	words := strings.Fields(prefix)
	for n := min(len(words), 3); n > 0; n-- {
		if at, ok := seconds(strings.Join(words[:n], " ")); ok && at > 1e8 {
			return at, true
		}
	}
	return 0, false
}
