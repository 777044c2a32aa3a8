package logs

import (
	"slices"
	"strconv"
	"strings"

	"warmroute/hostsim/internal/loose"
)

// reading is one time of a record. A record may have several, and the first may tell something else than when its request came.
type reading struct {
	name  string  // of the member that has it; "": it stands in a line of text, or around the record
	value string  // as it stands there, for messages
	raw   float64 // the time there, in s
	at    float64 // when the request came by it, in s
	took  float64 // s from then to the end of the answer; 0: unknown
	both  bool    // took is the difference of two times
	level int     // how far around the request's own record it stands; below 0: within
}

// maxReadings bounds those of a record.
const maxReadings = 6

var (
	startNames = []string{"starttime", "startedat", "timestamp", "time", "ts", "timeiso8601", "msec", "timelocal", "receivedat", "createdat", "created", "datetime", "date", "asctime", "timestampms", "requestcreatedat", "timeunixnano", "starttimeunixnano", "t"}
	endNames   = []string{"endtime", "endedat", "finishedat", "completedat", "endtimeunixnano"}
)

// madeNames are of times that may be those of something else than the request, such as its user.
var madeNames = []string{"created", "createdat", "date", "t"}

// Members whose names have one of the first are times, those with one of the others are not when a request came.
var timely, untimely = []string{"time", "date", "created", "start", "epoch", "unix", "arriv", "received"}, []string{"end", "finish", "update", "expir", "compl", "timeout"}

// isClock says whether a word of a name, between underscores, says that the member is a time, such as that of ts_ms and t_us.
func isClock(word string) bool { return slices.Contains([]string{"ts", "t", "at"}, word) }

// readings are the times that a record's members tell, best first.
func readings(o loose.Object) []reading {
	took, atEnd := duration(o)
	end, endName := ending(o)
	var out []reading
	add := func(name string, raw float64) {
		r := reading{name: name, value: o[name].Short(), raw: raw, at: raw, took: took}
		switch {
		case endName == name:
			r.at -= took
		case endName != "" && lasting(end-raw) > 0:
			r.took, r.both = end-raw, true
		case atEnd:
			r.at -= took
		}
		if len(out) < maxReadings {
			out = append(out, r)
		}
	}
	for _, name := range o.Names(startNames, false) {
		if raw, ok := seconds(moment(o[name])); ok {
			add(name, raw)
		}
	}
	if endName != "" && took > 0 {
		add(endName, end)
	}
	said, formed := others(o)
	for _, name := range slices.Concat(said, formed) {
		raw, _ := seconds(moment(o[name]))
		add(name, raw)
	}
	return out
}

// others are the names of times that nobody foresaw: those that say they are one, and those of texts in a form that only times have.
func others(o loose.Object) (said, formed []string) {
	for _, name := range o.Names(nil, true) {
		value := moment(o[name])
		if value == "" || len(value) > 40 || !strings.ContainsAny(value, "0123456789") {
			continue
		}
		p := loose.Plain(name)
		has := func(part string) bool { return strings.Contains(p, part) }
		if loose.IsOne(name, startNames) || slices.ContainsFunc(untimely, has) {
			continue
		}
		at, ok := seconds(value)
		tells := slices.ContainsFunc(timely, has) || slices.ContainsFunc(strings.Split(strings.ToLower(name), "_"), isClock)
		if !ok || (at < 1e9 || at > 4e9) && !(tells && isSerial(at) && hasFraction(at)) { // 2001 to 2096
			continue
		}
		if tells || strings.HasSuffix(name, "_at") || strings.HasSuffix(name, "At") {
			said = append(said, name)
		} else if _, err := strconv.ParseFloat(value, 64); err != nil {
			formed = append(formed, name)
		}
	}
	return said, formed
}

// duration is how long a record says that its answer took, in s; 0: it does not. atEnd says that its times are those of the answer's end.
func duration(o loose.Object) (took float64, atEnd bool) {
	for _, name := range o.Names(tookNames, false) {
		value, p := o[name].Text(), loose.Plain(name)
		number, ms := strings.CutSuffix(value, "ms")
		number, s := strings.CutSuffix(number, "s")
		d, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		inSeconds := slices.Contains(inSeconds, p) && !(p == "latency" && d >= wholeLatency && !strings.Contains(value, "."))
		if ms || !s && !inSeconds { // Envoy's %DURATION% and others
			d /= 1e3
		}
		if err == nil && lasting(d) == d {
			return d, p == "requesttime" // nginx's
		}
	}
	return 0, false
}

// ending is when a record says that its answer ended, and the member that says it; "": none does.
func ending(o loose.Object) (end float64, name string) {
	for _, name := range o.Names(endNames, false) {
		if end, ok := seconds(moment(o[name])); ok {
			return end, name
		}
	}
	return 0, ""
}

// moment is the text of a time, which Mongo's exports have in an object: {"$date": …}, or {"$date": {"$numberLong": …}}.
func moment(raw *loose.Value) string {
	if len(raw.Bytes()) > maxMoment {
		return ""
	}
	if inner := raw.Object()["$date"]; inner != nil {
		return loose.FirstOf(inner.Object()["$numberLong"], inner).Text()
	}
	return raw.Text()
}

// inSeconds are the durations that count seconds; others count ms. A latency that is a whole number from wholeLatency on
// counts ms too.
var inSeconds = []string{"requesttime", "latency", "responsetime"}

const wholeLatency = 100

// maxMoment bounds the bytes of a time.
const maxMoment = 80

// lasting is how long an answer took, in seconds; 0: the log has no such time, but a number that is none, or more than a week.
func lasting(took float64) float64 {
	if took > 0 && took <= 7*24*3600 {
		return took
	}
	return 0
}

// inside are times in members that are neither the request nor its answer, such as MLflow's info.
func inside(o loose.Object) []reading {
	var out []reading
	for _, member := range o.Names(nil, true) {
		if loose.IsOne(member, bodyNames) || loose.IsOne(member, answerNames) {
			continue
		}
		inner := o[member].Object()
		for _, name := range inner.Names(startNames, false) {
			if at, ok := seconds(moment(inner[name])); ok && at >= sinceEpoch && !loose.IsOne(name, madeNames) {
				out = append(out, reading{name: member + "." + name, value: inner[name].Short(), raw: at, at: at})
			}
		}
	}
	return out
}

// ofAnswer are when an answer was begun, in whole seconds, as the APIs' objects say.
func ofAnswer(o loose.Object, depth int) []reading {
	var out []reading
	for _, member := range o.Names(append([]string{"body"}, answerNames...), false) {
		inner := o[member].Object()
		for _, name := range []string{"created", "created_at"} {
			if at, ok := seconds(inner[name].Text()); ok && at > 1e9 {
				out = append(out, reading{name: member + "." + name, value: inner[name].Short(), raw: at, at: at})
			}
		}
		if depth > 0 {
			out = append(out, ofAnswer(inner, depth-1)...)
		}
	}
	return out
}

// lineReading is the time of a line of text, which has no name; nil: it has none (ok).
func lineReading(at float64, ok bool) []reading {
	if !ok {
		return nil
	}
	return []reading{{raw: at, at: at}}
}

// clockOf is the member of a record that is to be its time, for messages; "": it has none.
func clockOf(o loose.Object) string {
	for _, name := range o.Names(startNames, false) {
		if o[name].Filled() {
			return reading{name: name, value: o[name].Short()}.String()
		}
	}
	return ""
}

// String shows where a time stands and what is there; "" if it has no name.
func (r reading) String() string {
	if r.name == "" {
		return ""
	}
	return r.name + ": " + r.value
}

// moved are the same times, so many levels further out.
func moved(all []reading, levels int) []reading {
	out := slices.Clone(all)
	for i := range out {
		out[i].level += levels
	}
	return out
}

// earlier are the same times, each by so many seconds earlier. What is known of the answer's end is not of them.
func earlier(all []reading, by float64) []reading {
	out := slices.Clone(all)
	for i := range out {
		out[i].at -= by
		out[i].took = 0
	}
	return out
}
