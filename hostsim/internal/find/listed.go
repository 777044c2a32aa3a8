package find

import (
	"warmroute/hostsim/internal/capture"
	"warmroute/hostsim/internal/chats"
	"warmroute/hostsim/internal/loose"
)

// Listed returns the objects of the first list that has requests, at most three levels below o; nil: there is none.
func Listed(o loose.Object) []loose.Object { return listedIn(o, 3) }

func listedIn(o loose.Object, depth int) []loose.Object {
	for _, name := range o.Names(nil, true) {
		if inner := o[name].Object(); inner != nil && depth > 0 {
			if many := listedIn(inner, depth-1); many != nil {
				return many
			}
			continue
		}
		var many []loose.Object
		for _, item := range o[name].Items() {
			one := item.Object()
			if lines := lokiLines(one); lines != nil {
				many = append(many, lines...)
			} else if calls := capture.Unpack(one); calls != nil {
				many = append(many, calls...)
			} else if one != nil {
				many = append(many, one)
			}
		}
		for _, one := range many[:min(len(many), 16)] {
			chats.Rename(one)
			if inner, text := unwrap(one); HasBody(one) || inner != nil || text != "" || Part(one) > 0 {
				return many
			}
		}
	}
	return nil
}

// lokiLines are the lines of one of Loki's streams: pairs of a time in ns and a text.
func lokiLines(stream loose.Object) []loose.Object {
	var out []loose.Object
	for _, pair := range stream["values"].Items() {
		if of := pair.Items(); len(of) >= 2 {
			out = append(out, loose.Object{"time": of[0], "line": of[1]})
		}
	}
	return out
}
