// Package clocks reads when a request came, and how long its answer took, as logs tell it: as a text, in a member of a record, or in several
// that tell different things. Which of these is the request's is for those who see the whole log.
//
// Times are in seconds since 1970, or since the log began where they are below SinceEpoch.
package clocks

import (
	"slices"
	"strconv"
	"strings"

	"warmroute/hostsim/internal/loose"
)

// Reading is one time of a record. A record may have several, and the first may tell something else than when its request came.
type Reading struct {
	Name  string  // of the member that has it; "": it stands in a line of text, or around the record
	Value string  // as it stands there, for messages
	Raw   float64 // the time there, in s
	At    float64 // when the request came by it, in s
	Took  float64 // s from then to the end of the answer; 0: unknown
	Both  bool    // Took is the difference of two times
	Level int     // how far around the request's own record it stands; below 0: within
}

// Most bounds the readings of a record.
const Most = 6

// The names under which logs have times, as loose.Plain gives them; what is looked for first stands first.
var (
	startNames = []string{"starttime", "startedat", "timestamp", "time", "ts", "timeiso8601", "msec", "timelocal", "receivedat", "createdat", "created", "datetime", "date", "asctime", "timestampms", "requestcreatedat", "timeunixnano", "starttimeunixnano", "t"}
	endNames   = []string{"endtime", "endedat", "finishedat", "completedat", "endtimeunixnano"}
	tookNames  = []string{"requesttime", "rt", "duration", "durationms", "latencyms", "latency", "responsetime"}
)

// madeNames are of times that may be those of something else than the request, such as its user.
var madeNames = []string{"created", "createdat", "date", "t"}

// Members whose names have one of the first are times, those with one of the others are not when a request came.
var timely, untimely = []string{"time", "date", "created", "start", "epoch", "unix", "arriv", "received"}, []string{"end", "finish", "update", "expir", "compl", "timeout"}

// isClock says whether a word of a name, between underscores, says that the member is a time, such as that of ts_ms and t_us.
func isClock(word string) bool { return slices.Contains([]string{"ts", "t", "at"}, word) }

// Of are the times that a record's members tell, best first, Most at most; nil: none.
func Of(o loose.Object) []Reading {
	took, atEnd := Took(o)
	end, endName := ending(o)
	var out []Reading
	add := func(name string, raw float64) {
		r := Reading{Name: name, Value: o[name].Short(), Raw: raw, At: raw, Took: took}
		switch {
		case endName == name:
			r.At -= took
		case endName != "" && Lasting(end-raw) > 0:
			r.Took, r.Both = end-raw, true
		case atEnd:
			r.At -= took
		}
		if len(out) < Most {
			out = append(out, r)
		}
	}
	for _, name := range o.Names(startNames, false) {
		if raw, ok := Seconds(moment(o[name])); ok {
			add(name, raw)
		}
	}
	if endName != "" && took > 0 {
		add(endName, end)
	}
	said, formed := others(o)
	for _, name := range slices.Concat(said, formed) {
		raw, _ := Seconds(moment(o[name]))
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
		at, ok := Seconds(value)
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

// Shown is the member of a record that is to be its time, for messages; "": it has none.
func Shown(o loose.Object) string {
	for _, name := range o.Names(startNames, false) {
		if o[name].Filled() {
			return Reading{Name: name, Value: o[name].Short()}.String()
		}
	}
	return ""
}

// String shows where a time stands and what is there; "" if it has no name.
func (r Reading) String() string {
	if r.Name == "" {
		return ""
	}
	return r.Name + ": " + r.Value
}

// Member is where times stand, in each record that has them there.
type Member struct {
	name  string
	level int
}

func (r Reading) Member() Member { return Member{r.Name, r.Level} }

// Where names the place of a time in a sentence.
func (r Reading) Where() string {
	switch {
	case r.Name == "":
		return "the time of the line"
	case r.Level > 0:
		return r.Name + " of the log around it"
	}
	return r.Name
}

// Unreadable is the first of a record's times where nothing that is read as one stands, for messages; "": it can be read, or there is
// none. Another time of the record may be taken in its place, and is then another one.
func Unreadable(o loose.Object) string {
	for _, name := range o.Names(startNames, false) {
		if !o[name].Filled() || loose.IsOne(name, madeNames) {
			continue
		}
		if _, ok := Seconds(moment(o[name])); ok {
			return ""
		}
		return Reading{Name: name, Value: o[name].Short()}.String()
	}
	return ""
}
