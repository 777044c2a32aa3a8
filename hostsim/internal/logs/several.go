package logs

import (
	"encoding/json"

	"warmroute/hostsim/internal/chats"
	"warmroute/hostsim/internal/loose"
)

// deep is how many levels below a record its body may stand: http.request.body.content in Elastic's.
const deep = 4

// several takes the records of one object that holds many, as search APIs answer: Elastic's hits.hits, CloudWatch's events, data or
// results of others, and Loki's streams. false: it holds none.
func (c *collector) several(o loose.Object) bool {
	if c.inside >= 3 {
		return false
	}
	c.inside++
	defer func() { c.inside-- }()
	many := listed(o, 3)
	for _, one := range many {
		if !c.full() {
			c.object(one, nil)
		}
	}
	return many != nil
}

// listed returns the objects of the first list, at most depth levels below o, that has requests.
func listed(o loose.Object, depth int) []loose.Object {
	for _, name := range o.Names(nil, true) {
		if inner := o[name].Object(); inner != nil && depth > 0 {
			if many := listed(inner, depth-1); many != nil {
				return many
			}
			continue
		}
		var many []loose.Object
		for _, item := range o[name].Items() {
			one := item.Object()
			if lines := lokiLines(one); lines != nil {
				many = append(many, lines...)
			} else if one != nil {
				many = append(many, one)
			}
		}
		for _, one := range many[:min(len(many), 16)] {
			chats.Rename(one)
			body, _, _ := findBody(one, deep)
			if inner, text := unwrap(one); body != nil || inner != nil || text != "" {
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

// isMessage says whether a value is a turn of a chat, and so no record; one that names its conversation is.
func isMessage(raw *loose.Value) bool {
	o := raw.Object()
	return findSession(o, nil) == "" && chats.Role(o["role"].Text()) != "" && (o["content"].Filled() || o["tool_calls"].Filled())
}

// messages reads the rest of a list of messages, of which first has been read, and makes a body of it.
func messages(dec *json.Decoder, first json.RawMessage) (json.RawMessage, error) {
	all := []*loose.Value{loose.Read(first)}
	for dec.More() {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, err
		}
		all = append(all, loose.Read(raw))
	}
	_, err := dec.Token() // the bracket
	return loose.Marshal(loose.Object{"messages": loose.Made(all)}), err
}
