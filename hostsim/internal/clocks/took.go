package clocks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warmroute/hostsim/internal/loose"
)

// Took is how long a record says that its answer took, in s; 0: it does not. atEnd says that its times are those of the answer's end.
func Took(o loose.Object) (took float64, atEnd bool) {
	for _, name := range o.Names(tookNames, false) {
		value, p := o[name].Text(), loose.Plain(name)
		number, ms := strings.CutSuffix(value, "ms")
		number, s := strings.CutSuffix(number, "s")
		d, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		inSeconds := slices.Contains(inSeconds, p) && !(p == "latency" && d >= wholeLatency && !strings.Contains(value, "."))
		ended := p == "duration" && strings.HasPrefix(o["logger"].Text(), "http.log.access") // Caddy's (caddyserver.com, "log"): seconds, at the end
		if ms || !s && !inSeconds && !ended {                                                // Envoy's %DURATION% and others
			d /= 1e3
		}
		if p == "rt" && !strings.Contains(value, ".") { // nginx's has milliseconds behind a point
			continue
		}
		if err == nil && Lasting(d) == d {
			return d, ended || p == "requesttime" || p == "rt" // nginx's
		}
	}
	return 0, false
}

// ending is when a record says that its answer ended, and the member that says it; "": none does.
func ending(o loose.Object) (end float64, name string) {
	for _, name := range o.Names(endNames, false) {
		if end, ok := Seconds(moment(o[name])); ok {
			return end, name
		}
	}
	return 0, ""
}

// moment is the text of a time, which some have in an object: Mongo's exports {"$date": …}, or {"$date": {"$numberLong": …}}, and a protobuf
// Timestamp whose members a program has written as they are {"seconds": …, "nanos": …}, as of Envoy's access log service.
func moment(raw *loose.Value) string {
	if len(raw.Bytes()) > maxMoment {
		return ""
	}
	if inner := raw.Object()["$date"]; inner != nil {
		return loose.FirstOf(inner.Object()["$numberLong"], inner).Text()
	}
	if seconds, ok := raw.Object()["seconds"].Whole(); ok {
		nanos, _ := raw.Object()["nanos"].Whole()
		return fmt.Sprintf("%d.%09d", seconds, nanos)
	}
	return raw.Text()
}

// inSeconds are the durations that count seconds; others count ms. A latency that is a whole number from wholeLatency on
// counts ms too.
var inSeconds = []string{"requesttime", "rt", "latency", "responsetime"}

const wholeLatency = 100

// maxMoment bounds the bytes of a time.
const maxMoment = 80

// Lasting is how long an answer took, in seconds; 0: the log has no such time, but a number that is none, or more than a week.
func Lasting(took float64) float64 {
	if took > 0 && took <= 7*24*3600 {
		return took
	}
	return 0
}
