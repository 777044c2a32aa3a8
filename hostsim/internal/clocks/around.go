package clocks

import (
	"slices"

	"warmroute/hostsim/internal/loose"
)

// Inside are the times that a record's members tell, each an object by itself, such as MLflow's info; but those that leave says are others'.
func Inside(o loose.Object, leave func(member string) bool) []Reading {
	var out []Reading
	for _, member := range o.Names(nil, true) {
		if leave(member) {
			continue
		}
		inner := o[member].Object()
		for _, name := range inner.Names(startNames, false) {
			if at, ok := Seconds(moment(inner[name])); ok && at >= SinceEpoch && !loose.IsOne(name, madeNames) {
				out = append(out, Reading{Name: member + "." + name, Value: inner[name].Short(), Raw: at, At: at})
			}
		}
	}
	return out
}

// Created are when the answer that a member has was begun, in whole seconds, as the APIs' objects say.
func Created(member string, answer loose.Object) []Reading {
	var out []Reading
	for _, name := range []string{"created", "created_at"} {
		if at, ok := Seconds(answer[name].Text()); ok && at > 1e9 {
			out = append(out, Reading{Name: member + "." + name, Value: answer[name].Short(), Raw: at, At: at})
		}
	}
	return out
}

// Line is the time of a line of text, which has no name; nil: it has none (ok).
func Line(at float64, ok bool) []Reading {
	if !ok {
		return nil
	}
	return []Reading{{Raw: at, At: at}}
}

// Moved are the same times, so many levels further out.
func Moved(all []Reading, levels int) []Reading {
	out := slices.Clone(all)
	for i := range out {
		out[i].Level += levels
	}
	return out
}

// Earlier are the same times, each by so many seconds earlier. What is known of the answer's end is not of them.
func Earlier(all []Reading, by float64) []Reading {
	out := slices.Clone(all)
	for i := range out {
		out[i].At -= by
		out[i].Took = 0
	}
	return out
}
