package logs

import (
	"bytes"
	"slices"
	"strings"

	"warmroute/hostsim/internal/trace"
)

// text takes one record, whatever a collector of logs has put around it.
func (c *collector) text(line []byte) {
	if c.first == nil {
		c.first = slices.Clone(line)
	}
	c.report.Lines++
	if c.recorded == 0 && bytes.Contains(line, []byte(trace.RecordMark)) {
		c.recorded = c.line
	}
	line = bytes.TrimPrefix(line, []byte("\ufeff"))
	if bytes.HasPrefix(line, []byte("{'")) { // a dict that Python has printed
		if value := pythonJSON(string(line)); value != nil {
			line = value.raw
		}
	}
	if bytes.HasPrefix(line, []byte("{")) {
		line = bytes.TrimSuffix(line, []byte(",")) // of a list whose lines are read one by one
	}
	if o := asObject(read(line)); o != nil {
		many := slices.Concat(otlp(o), jaeger(o), har(o), tap(o)) // one object with many requests
		if many == nil {
			many = []object{o}
		}
		for _, one := range many {
			if !c.full() {
				c.object(one, nil)
			}
		}
		return
	}
	if at := bytes.IndexByte(line, '{'); at > 0 && !came.Match(line[:at]) { // such as a container runtime's "time stream F {…}"
		if o := asObject(read(line[at:])); o != nil {
			c.object(o, lineReading(prefixTime(string(line[:at]))))
			return
		}
	}
	if c.vllm.line(c, string(line), nil) || c.sglang.line(c, string(line), nil) {
		return
	}
	if o := textLine(string(line)); o != nil && line[0] != '{' {
		c.object(o, nil)
		return
	}
	if bytes.HasPrefix(line, []byte(`{"`)) {
		c.leave("not whole JSON: cut short?")
	} else if c.vllm.open == nil && c.sglang.open == nil { // a server's log is full of other lines
		c.leave("neither JSON, nor a line of vLLM's or SGLang's request log, nor one with a body in it")
	}
}

// object takes a record that is JSON. outer are the times that the wrapping has.
func (c *collector) object(o object, outer []reading) {
	o.rename()
	if c.sglang.json(c, o) || c.wrapped(o, outer) {
		return
	}
	span, why, is := generative(o)
	if is {
		o = span
	}
	if why == "" {
		why = unusable(o, nil)
	}
	if why != "" {
		c.leave(why)
		c.refuse(o)
		return
	}
	if messages := conversation(o); messages != nil {
		c.converse(o, messages)
		return
	}
	request := findRequest(o)
	if request == nil {
		c.bodiless(o, outer)
		return
	}
	path, why := request.path()
	if request.beside() {
		if failed := unusable(request.around, request.holder); failed != "" {
			why = failed
		}
	}
	if why != "" {
		c.leave(why)
		return
	}
	r := request.record(outer)
	r.path = path
	c.add(r)
}

// wrapped takes the record inside another log's record; false: there is none. outer is as with object.
func (c *collector) wrapped(o object, outer []reading) bool {
	if event := asObject(o["result"]); event["_raw"] != nil { // Splunk's exports
		o = event
	}
	inner, text := unwrap(o)
	if inner == nil && text == "" {
		return false
	}
	outer = moved(slices.Concat(readings(o), outer), 1)
	if inner != nil {
		c.object(inner, outer)
		return true
	}
	return c.vllm.line(c, text, outer) || c.sglang.line(c, text, outer)
}

// bodiless takes a record without a request's body: an answer to one, a message of a conversation, or an object of many records.
func (c *collector) bodiless(o object, outer []reading) {
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
func unwrap(o object) (inner object, inside string) {
	if looksLikeBody(o) {
		return nil, ""
	}
	for _, name := range o.names(wrapNames, false) {
		if inner := asObject(o[name]); inner != nil {
			inner.rename()
			if body, _, _ := findBody(inner, deep); body != nil || isSglang(inner) {
				return inner, ""
			}
		}
	}
	for _, name := range o.names(wrapNames, false) {
		s, _ := o[name].text()
		if s == "" {
			continue
		}
		if vllmKind(s) != vllmNone || isSglangLine(s) {
			return nil, s
		}
		if at := strings.IndexByte(s, '{'); at > 0 {
			if inner := asObject(read([]byte(s[at:]))); inner != nil {
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
func unusable(o, holder object) string {
	for _, at := range []object{o, holder, asObject(o.get([]string{"response", "responsebody", "respbody", "resp"})), asObject(asObject(o["http"])["response"])} { // the last Elastic's
		if m := text(at.get(methodNames)); m != "" && strings.ToUpper(m) != "POST" && !strings.Contains(m, " ") {
			return "not a POST"
		}
		if failed(at) {
			return "failed"
		}
	}
	for _, at := range []object{o, asObject(o["attributes"])} {
		if kind := observed(at); slices.Contains(around, kind) {
			return "not a call of a model: " + kind
		}
	}
	kind := strings.ToLower(text(o["call_type"])) // LiteLLM's
	for _, other := range []string{"embedding", "rerank", "image", "transcription", "speech", "moderation"} {
		if strings.Contains(kind, other) {
			return "not for a prompt: " + kind
		}
	}
	return ""
}

// leave counts a record that is not used.
func (c *collector) leave(why string) { c.report.leave(why, c.name, c.line) }
