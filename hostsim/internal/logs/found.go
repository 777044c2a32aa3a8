package logs

import (
	"bytes"
	"slices"

	"warmroute/hostsim/internal/call"
	"warmroute/hostsim/internal/capture"
	"warmroute/hostsim/internal/chats"
	"warmroute/hostsim/internal/clocks"
	"warmroute/hostsim/internal/loose"
	"warmroute/hostsim/internal/pyrepr"
	"warmroute/hostsim/internal/serverlog"
)

// found is what one record has, found without a look at others: lines can be searched beside each other. One of its members is set.
type found struct {
	record   *call.Call     // of a request
	refused  error          // why a replica would not take its body
	why      string         // why it is left out
	answer   loose.Object   // with why: what may have been the answer to another record's request
	messages []loose.Object // of a whole conversation, which object has
	object   loose.Object   // without a request
	outer    []clocks.Reading
	text     string // a line of vLLM's or SGLang's log
}

// in finds what a line has, whatever a collector of logs has put around it.
func (o *Options) in(line []byte) []found {
	line = bytes.TrimPrefix(line, []byte("\ufeff"))
	if bytes.HasPrefix(line, []byte("{'")) { // a dict that Python has printed
		if text := pyrepr.JSON(string(line)); text != nil {
			line = text
		}
	}
	if bytes.HasPrefix(line, []byte("{")) {
		line = bytes.TrimSuffix(line, []byte(",")) // of a list whose lines are read one by one
	}
	if one := loose.Read(line).Object(); one != nil {
		many := capture.Unpack(one) // one object with many requests
		if many == nil {
			many = []loose.Object{one}
		}
		out := make([]found, len(many))
		for i, one := range many {
			out[i] = o.find(one, nil)
		}
		return out
	}
	if at := bytes.IndexByte(line, '{'); at > 0 && !serverlog.BeforeBody(line[:at]) { // such as a container runtime's "time stream F {…}"
		if one := loose.Read(line[at:]).Object(); one != nil {
			return []found{o.find(one, clocks.Line(clocks.Prefix(string(line[:at]))))}
		}
	}
	text := string(line)
	if serverlog.IsLine(text) {
		return []found{{text: text}}
	}
	if one := textLine(text); one != nil && line[0] != '{' {
		return []found{o.find(one, nil)}
	}
	if bytes.HasPrefix(line, []byte(`{"`)) {
		return []found{{why: cutShort}}
	}
	return []found{{why: unknown}}
}

// Why lines are left out. A server's log is full of unknown ones.
const (
	cutShort = "not whole JSON: cut short?"
	unknown  = "neither JSON, nor a line of vLLM's or SGLang's request log, nor one with a body in it"
)

// find finds what a record that is JSON has. outer are the times that the wrapping has.
func (o *Options) find(of loose.Object, outer []clocks.Reading) found {
	chats.Rename(of)
	if serverlog.IsObject(of) {
		return found{object: of, outer: outer}
	}
	whole := of
	if event := of["result"].Object(); event["_raw"] != nil { // Splunk's exports
		whole = event
	}
	if inner, text := unwrap(whole); inner != nil || text != "" {
		outer = clocks.Moved(slices.Concat(clocks.Of(whole), outer), 1)
		if inner != nil {
			return o.find(inner, outer)
		}
		return found{text: text, outer: outer}
	}
	span, why, is := capture.Call(of)
	if is {
		of = span
	}
	if why == "" {
		why = unusable(of, nil)
	}
	if why != "" {
		return found{why: why, answer: of}
	}
	if messages := chats.Conversation(of); messages != nil {
		return found{messages: messages, object: of}
	}
	request := findRequest(of)
	if request == nil {
		return found{object: of, outer: outer}
	}
	path, why := request.path()
	if request.beside() {
		if failed := unusable(request.around, request.holder); failed != "" {
			why = failed
		}
	}
	if why != "" {
		return found{why: why}
	}
	r := request.record(outer)
	r.Path = path
	return found{record: r, refused: r.Judge(o.Accept)}
}
