// Package find looks for a call of a model in one record of a log, whose shape nothing names: for a body, a time, an answer, a session and a
// path, under the names that people's logs use, at most a few levels deep, in texts of JSON too. It says what the record is otherwise: an
// answer, a message of a conversation, a server's line, or why it is left out.
//
// It sees one record, and keeps nothing: records can be searched beside each other.
package find

import (
	"bytes"
	"slices"

	"warmroute/hostsim/internal/call"
	"warmroute/hostsim/internal/capture"
	"warmroute/hostsim/internal/chats"
	"warmroute/hostsim/internal/clocks"
	"warmroute/hostsim/internal/loose"
	"warmroute/hostsim/internal/pyrepr"
	"warmroute/hostsim/internal/rawjson"
	"warmroute/hostsim/internal/serverlog"
)

// Found is what one record has, found without a look at others: lines can be searched beside each other. Of Call, Refused, Why, Messages, Object and Text one is set.
type Found struct {
	Call     *call.Call     // of a request
	Refused  error          // why a replica would not take its body
	Why      string         // why it is left out
	Answer   loose.Object   // with Why: what may have been the answer to another record's request
	Messages []loose.Object // of a whole conversation, which Object has
	Object   loose.Object   // without a request
	Outer    []clocks.Reading
	Text     string // a line of vLLM's or SGLang's log
}

// Many says whether a text is one object with a list of calls.
func Many(text []byte) bool { return capture.Many(loose.Read(text).Object()) }

// Line finds what a line has, whatever a collector of logs has put around it. accept says why a replica would not take a body; nil: it takes
// all.
func Line(line []byte, accept func(path string, body []byte) error) []Found {
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
		out := make([]Found, len(many))
		for i, one := range many {
			out[i] = Object(one, nil, accept)
		}
		return out
	}
	if at := bytes.IndexByte(line, '{'); at > 0 && !serverlog.BeforeBody(line[:at]) { // such as a container runtime's "time stream F {…}"
		if one := loose.Read(line[at:]).Object(); one != nil {
			before := string(line[:at])
			when, ok := clocks.Prefix(before)
			if !ok { // behind something else, such as the name of a pod
				when, ok = clocks.Seconds(clocks.Dated(before))
			}
			return []Found{Object(one, clocks.Line(when, ok), accept)}
		}
	}
	text := string(line)
	if serverlog.IsLine(text) {
		return []Found{{Text: text}}
	}
	if one := textLine(text); one != nil && line[0] != '{' {
		return []Found{Object(one, nil, accept)}
	}
	if rest, opens := bytes.CutPrefix(line, []byte("{")); opens && bytes.HasPrefix(rest[rawjson.Gap(rest, 0):], []byte(`"`)) {
		return []Found{{Why: CutShort}}
	}
	return []Found{{Why: Unknown}}
}

// Why lines are left out. A server's log is full of unknown ones.
const (
	CutShort = "not whole JSON: cut short?"
	cutTexts = "a body whose texts the log has cut in the middle (litellm_truncated): LiteLLM keeps them whole with the variable MAX_STRING_LENGTH_PROMPT_IN_DB above the longest, 2,048 characters by default"
	sizedOut = "a body that the log has left out for its size (<truncated due to size exceeding limit>)"
	Hidden   = "a body with a placeholder or a hash in place of what was said: neither its length nor what prompts share is known"
	Unknown  = "neither JSON, nor a line of vLLM's or SGLang's request log, nor one with a body in it"
)

// shortened says why a body is not what was sent, by the marks of programs that cut texts; "": it has none.
func shortened(body []byte) string {
	switch {
	case bytes.Contains(body, []byte("(litellm_truncated ")):
		return cutTexts
	case bytes.Contains(body, []byte("truncated due to size exceeding limit")):
		return sizedOut
	}
	return ""
}

// Object finds what a record that is JSON has. outer are the times that the wrapping has; accept is as with Line.
func Object(of loose.Object, outer []clocks.Reading, accept func(path string, body []byte) error) Found {
	chats.Rename(of)
	if serverlog.IsObject(of) {
		return Found{Object: of, Outer: outer}
	}
	whole := of
	if event := of["result"].Object(); event["_raw"] != nil { // Splunk's exports
		whole = event
	}
	if inner, text := unwrap(whole); inner != nil || text != "" {
		outer = clocks.Moved(slices.Concat(clocks.Of(whole), outer), 1)
		if inner != nil {
			return Object(inner, outer, accept)
		}
		return Found{Text: text, Outer: outer}
	}
	span, why, is := capture.Call(of)
	if is {
		of = span
	}
	if why == "" {
		why = Unusable(of, nil)
	}
	if why != "" {
		return Found{Why: why, Answer: of}
	}
	if messages := chats.Conversation(of); messages != nil {
		return Found{Messages: messages, Object: of}
	}
	request := requestOf(of)
	if request == nil {
		return Found{Object: of, Outer: outer}
	}
	path, why := request.path()
	if request.beside() {
		if failed := Unusable(request.around, request.holder); failed != "" {
			why = failed
		}
	}
	if why == "" && chats.Hidden(request.body) {
		why = Hidden
	}
	if why != "" {
		return Found{Why: why}
	}
	r := request.record(outer)
	if why := shortened(r.Body); why != "" {
		return Found{Why: why}
	}
	r.Path = path
	return Found{Call: r, Refused: r.Judge(accept)}
}
