package find

import (
	"strings"

	"warmroute/hostsim/internal/call"
	"warmroute/hostsim/internal/chats"
	"warmroute/hostsim/internal/loose"
)

// Answer reads an answer's length from a record: from its usage, or from the text.
func Answer(o loose.Object) call.Answer {
	if n, ok := o.Get(outputNames).Whole(); ok && n > 0 {
		return counted(n, o.Get(answerNames).Object())
	}
	if n, ok := usage(o); ok {
		return counted(n, o.Get(answerNames).Object())
	}
	for _, name := range o.Names(answerNames, false) {
		if a := readAnswer(o[name], 3); a.Tokens > 0 {
			return a
		}
	}
	return call.Answer{}
}

// counted is an answer of which the server says how long it is.
func counted(n int, o loose.Object) call.Answer {
	for _, name := range o.Names([]string{"body"}, false) {
		if inner := o[name].Object(); inner != nil && answerID(o) == "" {
			o = inner
		}
	}
	return call.Answer{Tokens: n, Counted: true, ID: answerID(o), Said: said(o)}
}

// usage reads usage.completion_tokens, or what a record calls it.
func usage(o loose.Object) (int, bool) {
	u := o.Get(usageNames).Object()
	n, ok := u.Get(outputNames).Whole()
	if !ok {
		n, ok = u["output"].Whole() // Langfuse's
	}
	if inner := u.Get(usageNames).Object(); !ok && inner != nil { // LangSmith's llm_output
		n, ok = inner.Get(outputNames).Whole()
	}
	return n, ok && n > 0
}

// readAnswer reads an answer: an API's object, that object a few levels deeper, a stream of events, or bare text.
func readAnswer(raw *loose.Value, depth int) call.Answer {
	o := raw.Object()
	if o == nil {
		if a := readEvents(listedEvents(raw)); a.Tokens > 0 {
			return a
		}
		s, _ := raw.Quoted()
		if s == "" {
			return call.Answer{}
		}
		if strings.Contains(s, "data:") {
			return readStream(s)
		}
		return call.Answer{Tokens: call.Tokens(len(s))}
	}
	n, ok := o.Get(outputNames).Whole() // Bedrock's
	if !ok || n == 0 {
		n, ok = usage(o)
	}
	if ok {
		return counted(n, o)
	}
	if n := contentLength(o); n > 0 {
		return call.Answer{Tokens: call.Tokens(n), ID: answerID(o), Said: said(o)}
	}
	if depth > 0 {
		for _, name := range o.Names(append([]string{"body", "message"}, answerNames...), false) { // the second of Anthropic's batches
			if a := readAnswer(o[name], depth-1); a.Tokens > 0 {
				return a
			}
		}
	}
	return call.Answer{}
}

func answerID(o loose.Object) string { return o["id"].Text() }

// readStream reads server-sent events.
func readStream(s string) call.Answer {
	var events []loose.Object
	for line := range strings.SplitSeq(s, "\n") {
		if data, ok := strings.CutPrefix(strings.TrimSpace(line), "data:"); ok {
			events = append(events, loose.Read([]byte(data)).Object())
		}
	}
	return readEvents(events)
}

// listedEvents are the events of a stream that a log has as a list; nil: it is none.
func listedEvents(raw *loose.Value) []loose.Object {
	var events []loose.Object
	for _, item := range raw.Unquote().Items() {
		o := item.Object()
		if o == nil || o["role"] != nil { // messages
			return nil
		}
		events = append(events, o)
	}
	return events
}

// readEvents reads the events of a stream: the usage in one of the last, or else the lengths of all deltas.
func readEvents(events []loose.Object) call.Answer {
	var a call.Answer
	bytes := 0
	for _, o := range events {
		if o == nil {
			continue
		}
		if inner := o["response"].Object(); inner != nil { // of the responses API
			o = inner
		}
		if id := answerID(o); id != "" {
			a.ID = id
		}
		if n, ok := usage(o); ok {
			a.Tokens, a.Counted = n, true
		}
		if items := said(o); items != nil {
			a.Said = items
		}
		bytes += contentLength(o)
	}
	if !a.Counted && bytes > 0 {
		a.Tokens = call.Tokens(bytes)
	}
	return a
}

// contentLength is the bytes of text in an answer of one of the APIs, or in one event of a stream.
func contentLength(o loose.Object) int {
	n := 0
	for _, name := range []string{"choices", "output", "content", "candidates", "generations"} {
		for _, item := range o[name].Items() {
			n += chats.TextLength(item, 3)
		}
		if name == "content" { // a message's text
			n += len(o[name].Text())
		}
	}
	if n == 0 {
		n = chats.TextLength(o["delta"], 2) // an event of Anthropic's or of the responses API
	}
	return n
}

// said are the items of an answer of the Responses API that the next prompt has again; a model's own thoughts are left out.
func said(o loose.Object) []*loose.Value {
	var out []*loose.Value
	for _, item := range o["output"].Items() {
		if kind := item.Object()["type"].Text(); kind != "" && kind != "reasoning" {
			out = append(out, item.Copied())
		}
	}
	return out
}
