package logs

import (
	"bytes"
	"slices"
	"strings"

	"warmroute/hostsim/internal/call"
	"warmroute/hostsim/internal/capture"
	"warmroute/hostsim/internal/chats"
	"warmroute/hostsim/internal/clocks"
	"warmroute/hostsim/internal/loose"
	"warmroute/hostsim/internal/serverlog"
	"warmroute/hostsim/internal/trace"
)

// text takes one record, and what was found in it; nil: it has not been searched.
func (c *collector) text(line []byte, all []found) {
	if c.first == nil {
		c.first = slices.Clone(line)
	}
	c.report.Lines++
	if c.recorded == 0 && bytes.Contains(line, []byte(trace.RecordMark)) {
		c.recorded = c.line
	}
	if all == nil {
		all = c.options.in(line)
	}
	for _, f := range all {
		if !c.full() {
			c.take(f)
		}
	}
}

// object takes a record that is JSON. outer are the times that the wrapping has.
func (c *collector) object(o loose.Object, outer []clocks.Reading) { c.take(c.options.find(o, outer)) }

// take takes what was found in a record.
func (c *collector) take(f found) {
	switch {
	case f.record != nil:
		c.add(f.record, f.refused)
	case f.why != "":
		if f.why == unknown && c.server.Begun() {
			return
		}
		c.leave(f.why)
		if f.answer != nil {
			c.refuse(f.answer)
		}
	case f.messages != nil:
		c.converse(f.object, f.messages)
	case f.text != "":
		c.told(c.server.Line(f.text, f.outer, c.place()))
	case serverlog.IsObject(f.object):
		c.told(c.server.Object(f.object))
	default:
		c.bodiless(f.object, f.outer)
	}
}

// told takes what a server's log says of a request.
func (c *collector) told(t serverlog.Found) {
	switch {
	case t.Call != nil:
		c.add(t.Call, t.Call.Judge(c.options.Accept))
	case t.Why != "":
		c.leave(t.Why)
	}
}

// bodies takes those that a server's log has as they came.
func (c *collector) bodies() {
	for b := range c.server.Bodies() {
		switch c.name, c.line = b.Place.File, b.Place.Line; {
		case c.full():
			return
		case b.Why != "":
			c.leave(b.Why)
		default:
			c.object(b.Object, b.Clocks)
		}
	}
}

// place is that of the record that is being taken.
func (c *collector) place() call.Place { return call.Place{File: c.name, Line: c.line} }

// bodiless takes a record without a request's body: an answer to one, a message of a conversation, or an object of many records.
func (c *collector) bodiless(o loose.Object, outer []clocks.Reading) {
	switch {
	case c.join(o):
	case c.message(o, outer):
	case c.several(o):
	case hasCutBody(o):
		c.leave("a body that was cut short: the log has only its beginning")
	default:
		c.leave("no request body")
	}
}

// unwrap returns the record inside another log's record: as an object, or as text.
func unwrap(o loose.Object) (inner loose.Object, inside string) {
	if chats.IsBody(o) {
		return nil, ""
	}
	for _, name := range o.Names(wrapNames, false) {
		if inner := o[name].Object(); inner != nil {
			chats.Rename(inner)
			if body, _, _ := findBody(inner, deep); body != nil || serverlog.IsObject(inner) {
				return inner, ""
			}
		}
	}
	for _, name := range o.Names(wrapNames, false) {
		s, _ := o[name].Quoted()
		if s == "" {
			continue
		}
		if serverlog.IsLine(s) {
			return nil, s
		}
		if at := strings.IndexByte(s, '{'); at > 0 {
			if inner := loose.Read([]byte(s[at:])).Object(); inner != nil {
				return inner, ""
			}
			if inner := textLine(s); inner != nil {
				return inner, ""
			}
		}
	}
	return nil, ""
}

// unusable says why a request's work was not done, or was none of this kind; "" if it was.
func unusable(o, holder loose.Object) string {
	for _, at := range []loose.Object{o, holder, o.Get([]string{"response", "responsebody", "respbody", "resp"}).Object(), o["http"].Object()["response"].Object()} { // the last Elastic's
		if m := at.Get(methodNames).Text(); m != "" && strings.ToUpper(m) != "POST" && !strings.Contains(m, " ") {
			return "not a POST"
		}
		if failed(at) {
			return "failed"
		}
	}
	for _, at := range []loose.Object{o, o["attributes"].Object()} {
		if kind := capture.Besides(at); kind != "" {
			return "not a call of a model: " + kind
		}
	}
	kind := strings.ToLower(o["call_type"].Text()) // LiteLLM's
	for _, other := range []string{"embedding", "rerank", "image", "transcription", "speech", "moderation"} {
		if strings.Contains(kind, other) {
			return "not for a prompt: " + kind
		}
	}
	return ""
}

// leave counts a record that is not used.
func (c *collector) leave(why string) { c.report.leave(why, c.name, c.line) }
