package find

import (
	"reflect"
	"regexp"
	"slices"

	"warmroute/hostsim/internal/call"
	"warmroute/hostsim/internal/chats"
	"warmroute/hostsim/internal/clocks"
	"warmroute/hostsim/internal/loose"
)

// request is a request's body where a record has it.
type request struct {
	body   loose.Object // in the shape of an API that replays know
	raw    *loose.Value // its text, where it is a member of holder; nil: its members stand among the record's own
	holder loose.Object // nil with raw
	around loose.Object // the record
}

// requestOf finds the body of a record; nil: it has none.
func requestOf(o loose.Object) *request {
	body, holder, raw := bodyOf(o, deep)
	if body == nil {
		list := anyMessages(o)
		if list == nil {
			return nil
		}
		o["messages"], body = list, o
	}
	if chat := chats.Translated(body); chat != nil && holder == nil {
		o, body = chat, chat
	} else if chat != nil {
		body, raw = chat, cut(chat)
	}
	return &request{body: body, raw: raw, holder: holder, around: o}
}

// path is the API's, as pathOf finds it; why says that this API has no prompts.
func (q *request) path() (path, why string) {
	path, other := pathOf(q.around, q.body)
	if other == "" && q.holder != nil && len(q.around.Names(pathNames, false)) == 0 {
		path, other = pathOf(q.holder, q.body)
	}
	if other != "" {
		return "", "not for a prompt: " + other
	}
	if path == call.CompletionsPath && !q.body["prompt"].Filled() && q.body["messages"].Unquote().IsList() { // a chat, whatever the gateway calls it
		path = call.ChatPath
	}
	return path, ""
}

// record is all that is found of the request but its path. outer are the times that the wrapping has.
func (q *request) record(outer []clocks.Reading) *call.Call {
	r := &call.Call{ID: CustomID(q.around), Part: Part(q.around), Session: sessionOf(q.around, q.body)}
	r.Took, _ = clocks.Took(q.around)
	r.Clocks, r.Clock, r.Unread = q.times(outer), clocks.Shown(q.around), clocks.Unreadable(q.around)
	a := Answer(q.around)
	if a.Tokens == 0 && q.holder != nil { // Kong's
		a = Answer(q.holder)
	}
	r.Answer, r.Prompt = a, Prompted(q.around)
	if r.Prompt == 0 && q.beside() {
		r.Prompt = Prompted(q.holder)
	}
	body := q.text(a.Tokens > 0 || r.ID != "")
	if whole := body.Object(); invoked(whole, q.around) || named(whole, q.around, q.holder) {
		body = loose.Made(whole)
	}
	r.Body = body.Kept()
	return r
}

// times are those of the record, of what holds the body, of the wrapping, of the answer, and of what stands beside, in this order.
func (q *request) times(outer []clocks.Reading) []clocks.Reading {
	all := clocks.Of(q.around)
	if q.beside() {
		all = append(all, clocks.Moved(clocks.Of(q.holder), -1)...)
	}
	all = slices.Concat(all, outer, ofAnswer(q.around, 2), clocks.Inside(q.around, another))
	return all[:min(len(all), clocks.Most)]
}

// beside says whether what holds the body is an object below the record.
func (q *request) beside() bool {
	return q.holder != nil && reflect.ValueOf(q.holder).Pointer() != reflect.ValueOf(q.around).Pointer()
}

// text is the body to send. One whose members stand among a record's own is cut out of them; logged says that others than a body's
// have been found.
func (q *request) text(logged bool) *loose.Value {
	if q.raw != nil {
		if chats.AsTexts(q.body) {
			return cut(q.body)
		}
		return q.raw
	}
	o := q.around
	if logged || o.Get(settingNames).Filled() || chats.AsTexts(o) || len(clocks.Of(o)) > 0 {
		return cut(o)
	}
	return loose.Made(o)
}

// ofAnswer are when an answer was begun, at most depth levels below the record's members.
func ofAnswer(o loose.Object, depth int) []clocks.Reading {
	var out []clocks.Reading
	for _, member := range o.Names(append([]string{"body"}, answerNames...), false) {
		inner := o[member].Object()
		if out = append(out, clocks.Created(member, inner)...); depth > 0 {
			out = append(out, ofAnswer(inner, depth-1)...)
		}
	}
	return out
}

// another says whether a member is the request, or its answer, whose times are read otherwise.
func another(member string) bool {
	return loose.IsOne(member, bodyNames) || loose.IsOne(member, answerNames)
}

// invoked gives a body what LangSmith has beside it: the model and other members of the call. false: it has nothing.
func invoked(body, record loose.Object) (any bool) {
	call := record["extra"].Object()["invocation_params"].Object()
	for _, name := range []string{"model", "tools", "max_tokens", "max_completion_tokens"} {
		if call[name].Filled() && !body[name].Filled() {
			body[name], any = call[name], true
		}
	}
	return any
}

// modelPath is where Gemini's and Bedrock's paths name the model.
var modelPath = regexp.MustCompile(`/models?/([^/:?]+)`)

// named gives a body that names no model, since its API has that elsewhere, the name that the record around it has. false: it has one.
func named(body loose.Object, around ...loose.Object) bool {
	if body["model"].Filled() {
		return false
	}
	for _, o := range around {
		name := o.Get([]string{"model", "modelid", "modelname", "providedmodelname"}).Text()
		for _, path := range o.Names(pathNames, false) {
			if m := modelPath.FindStringSubmatch(o[path].Text()); name == "" && m != nil {
				name = m[1]
			}
		}
		if name != "" {
			body["model"] = loose.Made(name)
			return true
		}
	}
	return false
}
