package logs

import (
	"reflect"
	"slices"

	"warmroute/hostsim/internal/loose"
)

// request is a request's body where a record has it.
type request struct {
	body   loose.Object // in the shape of an API that replays know
	raw    *loose.Value // its text, where it is a member of holder; nil: its members stand among the record's own
	holder loose.Object // nil with raw
	around loose.Object // the record
}

// findRequest finds the body of a record; nil: it has none.
func findRequest(o loose.Object) *request {
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
	if other == "" && q.holder != nil && len(q.around.Names(pathNames, false)) == 0 {
		path, other = findPath(q.holder, q.body)
	}
	if other != "" {
		return "", "not for a prompt: " + other
	}
	if path == paths[1] && !q.body["prompt"].Filled() && q.body["messages"].Unquote().IsList() { // a chat, whatever the gateway calls it
		path = paths[0]
	}
	return path, ""
}

// record is all that is found of the request but its path. outer is as with collector.object.
func (q *request) record(outer []reading) *record {
	r := &record{id: q.around.Get(idNames).Text(), session: findSession(q.around, q.body)}
	r.took, _ = duration(q.around)
	r.clocks, r.clock, r.unread = q.times(outer), clockOf(q.around), unreadable(q.around)
	a := findAnswer(q.around)
	if a.tokens == 0 && q.holder != nil { // Kong's
		a = findAnswer(q.holder)
	}
	r.output, r.measured, r.response, r.said = a.tokens, a.counted, a.id, a.said
	body := q.text(a.tokens > 0 || r.id != "")
	if whole := body.Object(); invoked(whole, q.around) || named(whole, q.around, q.holder) {
		body = loose.Made(whole)
	}
	r.body = body.Kept()
	return r
}

// times are those of the record, of what holds the body, of the wrapping, of the answer, and of what stands beside, in this order.
func (q *request) times(outer []reading) []reading {
	all := readings(q.around)
	if q.beside() {
		all = append(all, moved(readings(q.holder), -1)...)
	}
	all = slices.Concat(all, outer, ofAnswer(q.around, 2), inside(q.around))
	return all[:min(len(all), maxReadings)]
}

// beside says whether what holds the body is an object below the record.
func (q *request) beside() bool {
	return q.holder != nil && reflect.ValueOf(q.holder).Pointer() != reflect.ValueOf(q.around).Pointer()
}

// text is the body to send. One whose members stand among a record's own is cut out of them; logged says that others than a body's
// have been found.
func (q *request) text(logged bool) *loose.Value {
	if q.raw != nil {
		if asTexts(q.body) {
			return cut(q.body)
		}
		return q.raw
	}
	o := q.around
	if logged || o["model_parameters"].Filled() || asTexts(o) || len(readings(o)) > 0 {
		return cut(o)
	}
	return loose.Made(o)
}
