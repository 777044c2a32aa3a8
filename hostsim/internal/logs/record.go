package logs

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// text takes one record, whatever a collector of logs has put around it.
func (c *collector) text(line []byte) {
	if c.first == nil {
		c.first = slices.Clone(line)
	}
	c.report.Lines++
	line = bytes.TrimPrefix(line, []byte("\ufeff"))
	if o := asObject(line); o != nil {
		many := slices.Concat(otlp(o), jaeger(o), har(o), tap(o)) // one object with many requests
		if many == nil {
			many = []object{o}
		}
		for _, one := range many {
			c.object(one, 0, false)
		}
		return
	}
	if at := bytes.IndexByte(line, '{'); at > 0 { // such as a container runtime's "time stream F {…}"
		if o := asObject(line[at:]); o != nil {
			when, timed := prefixTime(string(line[:at]))
			c.object(o, when, timed)
			return
		}
	}
	if c.vllm.line(c, string(line), 0, false) || c.sglang.line(c, string(line), 0, false) {
		return
	}
	if o := textLine(string(line)); o != nil && line[0] != '{' {
		c.object(o, 0, false)
		return
	}
	if bytes.HasPrefix(line, []byte(`{"`)) {
		c.leave("not whole JSON: cut short?")
	} else if c.vllm.open == nil && c.sglang.open == nil { // a server's log is full of other lines
		c.leave("neither JSON, nor a line of vLLM's or SGLang's request log, nor one with a body in it")
	}
}

// object takes a record that is JSON. outer is the time that the wrapping has, if it has one.
func (c *collector) object(o object, outer float64, timed bool) {
	if c.sglang.json(c, o) {
		return
	}
	if inner, text := unwrap(o); inner != nil || text != "" {
		at, _, ok := findTimes(o)
		if !ok {
			at, ok = outer, timed
		}
		switch {
		case inner != nil:
			c.object(inner, at, ok)
			return
		case c.vllm.line(c, text, at, ok) || c.sglang.line(c, text, at, ok):
			return
		}
	}
	if span, why, is := generative(o); why != "" {
		c.leave(why)
		return
	} else if is {
		o = span
	}
	if why := c.unusable(o, nil); why != "" {
		c.leave(why)
		return
	}
	if messages := conversation(o); messages != nil {
		c.converse(o, messages)
		return
	}
	body, holder, raw := findBody(o, deep)
	if body == nil {
		if list := anyMessages(o); list != nil {
			o["messages"], body = list, o
		}
	}
	if body == nil {
		switch {
		case c.join(o):
		case c.several(o):
		case hasCutBody(o):
			c.leave("a body that was cut short: the log has only its beginning")
		default:
			c.leave("no request body")
		}
		return
	}
	if chat := translated(body); chat != nil && holder == nil {
		o, body = chat, chat
	} else if chat != nil {
		body, raw = chat, cut(chat)
	}
	r := &record{id: text(o.get(idNames))}
	if r.at, r.took, r.timed = findTimes(o); !r.timed && holder != nil {
		r.at, _, r.timed = findTimes(holder)
	}
	if !r.timed {
		r.at, r.timed = outer, timed
	}
	if !r.timed {
		r.at, r.timed = answerTime(o, 2)
	}
	a := findAnswer(o)
	r.output, r.measured, r.response, r.said = a.tokens, a.counted, a.id, a.said
	if why := c.unusable(o, holder); why != "" {
		c.leave(why)
		return
	}
	var other string
	if r.path, other = findPath(o, body); other == "" && holder != nil && len(o.names(pathNames, false)) == 0 {
		r.path, other = findPath(holder, body)
	}
	if other != "" {
		c.leave("not for a prompt: " + other)
		return
	}
	if r.body = raw; raw != nil && asTexts(body) {
		r.body = cut(body)
	} else if raw == nil {
		if _, _, isLog := findTimes(o); isLog || a.tokens > 0 || r.id != "" || filled(o["model_parameters"]) || asTexts(o) {
			r.body = cut(o)
		} else {
			r.body, _ = json.Marshal(o)
		}
	}
	r.session = findSession(o, body)
	if whole := asObject(r.body); invoked(whole, o) || named(whole, o, holder) {
		r.body = marshal(whole)
	}
	c.add(r)
}

// add keeps a record whose body can be replayed. Of a conversation that the server keeps, it has what is new in it.
func (c *collector) add(r *record) {
	if body := asObject(r.body); filled(body["previous_response_id"]) {
		r.follows = text(body["previous_response_id"])
		delete(body, "previous_response_id")
		r.body = marshal(body)
	}
	if c.options.Accept != nil {
		if err := c.options.Accept(r.path, r.body); err != nil {
			c.leave("its body cannot be replayed: " + err.Error())
			return
		}
	}
	c.records = append(c.records, r)
	if r.id != "" {
		if a, ok := c.orphans[r.id]; ok {
			r.answered(a.answer)
			delete(c.orphans, r.id)
		} else {
			c.waiting[r.id] = r
		}
	}
}

// orphan is an answer that came before its request.
type orphan struct {
	answer
	file string
	line int
}

func (r *record) answered(a answer) {
	if r.output == 0 || !r.measured {
		r.output, r.measured, r.response, r.said = a.tokens, a.counted, a.id, a.said
	}
}

// join gives an answer that has a custom_id to its request; false: it is none.
func (c *collector) join(o object) bool {
	id := text(o.get(idNames))
	if id == "" {
		return false
	}
	a := findAnswer(o)
	if r, ok := c.waiting[id]; ok {
		r.answered(a)
	} else {
		c.orphans[id] = orphan{a, c.name, c.line}
	}
	return true
}

// unwrap returns the record inside another log's record: as an object, or as text.
func unwrap(o object) (inner object, inside string) {
	if looksLikeBody(o) {
		return nil, ""
	}
	for _, name := range o.names(wrapNames, false) {
		if inner := asObject(o[name]); inner != nil {
			if body, _, _ := findBody(inner, deep); body != nil || isSglang(inner) {
				return inner, ""
			}
		}
	}
	for _, name := range o.names(wrapNames, false) {
		var s string
		if json.Unmarshal(o[name], &s) != nil || s == "" {
			continue
		}
		if vllmKind(s) != vllmNone || sglangLine.MatchString(s) {
			return nil, s
		}
		if at := strings.IndexByte(s, '{'); at > 0 {
			if inner := asObject(json.RawMessage(s[at:])); inner != nil {
				return inner, ""
			}
		}
	}
	return nil, ""
}

// unusable says why a request's work was not done, or was none of this kind; "" if it was.
func (c *collector) unusable(o, holder object) string {
	for _, at := range []object{o, holder, asObject(o["response"]), asObject(asObject(o["http"])["response"])} { // the last Elastic's
		if m := text(at.get(methodNames)); m != "" && strings.ToUpper(m) != "POST" && !strings.Contains(m, " ") {
			return "not a POST"
		}
		status, _, _ := strings.Cut(text(at.get(statusNames)), " ") // such as "503 Service Unavailable"
		if n, err := strconv.Atoi(status); err == nil && n >= 400 || status == "failure" || status == "failed" || status == "error" {
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
