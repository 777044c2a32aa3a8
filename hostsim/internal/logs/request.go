package logs

import "encoding/json"

// request is a request's body where a record has it.
type request struct {
	body   object          // in the shape of an API that replays know
	raw    json.RawMessage // its text, where it is a member of holder; nil: its members stand among the record's own
	holder object          // nil with raw
	around object          // the record
}

// findRequest finds the body of a record; nil: it has none.
func findRequest(o object) *request {
	body, holder, raw := findBody(o, deep)
	if body == nil {
		list := anyMessages(o)
		if list == nil {
			return nil
		}
		o["messages"], body = list, o
	}
	if chat := translated(body); chat != nil && holder == nil {
		o, body = chat, chat
	} else if chat != nil {
		body, raw = chat, cut(chat)
	}
	return &request{body: body, raw: raw, holder: holder, around: o}
}

// path is the API's, as findPath finds it; why says that this API has no prompts.
func (q *request) path() (path, why string) {
	path, other := findPath(q.around, q.body)
	if other == "" && q.holder != nil && len(q.around.names(pathNames, false)) == 0 {
		path, other = findPath(q.holder, q.body)
	}
	if other != "" {
		return "", "not for a prompt: " + other
	}
	return path, ""
}

// record is all that is found of the request but its path. outer is as with collector.object.
func (q *request) record(outer float64, timed bool) *record {
	r := &record{id: text(q.around.get(idNames)), session: findSession(q.around, q.body)}
	r.at, r.took, r.timed = q.times(outer, timed)
	r.clock = clockOf(q.around)
	a := findAnswer(q.around)
	if a.tokens == 0 && q.holder != nil { // Kong's
		a = findAnswer(q.holder)
	}
	r.output, r.measured, r.response, r.said = a.tokens, a.counted, a.id, a.said
	r.body = q.text(a.tokens > 0 || r.id != "")
	if whole := asObject(r.body); invoked(whole, q.around) || named(whole, q.around, q.holder) {
		r.body = marshal(whole)
	}
	return r
}

// times are those of the record, of what holds the body, of the wrapping, of the answer, or of what stands beside: the first that there is.
func (q *request) times(outer float64, timed bool) (at, took float64, ok bool) {
	if at, took, ok = findTimes(q.around); !ok && q.holder != nil {
		at, _, ok = findTimes(q.holder)
	}
	if !ok {
		at, ok = outer, timed
	}
	if !ok {
		at, ok = answerTime(q.around, 2)
	}
	if !ok {
		at, ok = timeInside(q.around)
	}
	return at, took, ok
}

// text is the body to send. One whose members stand among a record's own is cut out of them; logged says that others than a body's
// have been found.
func (q *request) text(logged bool) []byte {
	if q.raw != nil {
		if asTexts(q.body) {
			return cut(q.body)
		}
		return q.raw
	}
	o := q.around
	if _, _, timed := findTimes(o); timed || logged || filled(o["model_parameters"]) || asTexts(o) {
		return cut(o)
	}
	return marshal(o)
}
