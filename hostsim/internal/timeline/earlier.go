package timeline

import (
	"slices"

	"warmroute/hostsim/internal/call"
	"warmroute/hostsim/internal/loose"
)

// restore gives the requests of the Responses API that name an earlier answer (previous_response_id) the turns before it, where the log
// has these and the answer's text. Calls are in order of time. Instructions are not carried over
// (platform.openai.com, "Create a model response"). Each turn has all before it again, so none is made once those made have
// options.Restore bytes together.
func (m *maker) restore() {
	answers := map[string]*call.Call{}
	made := 0
	for _, r := range m.calls {
		if r.Follows != "" {
			if made >= m.options.Restore {
				m.account.Beyond++
			} else if whole := behind(answers[r.Follows], r); whole != nil && (m.options.Accept == nil || m.options.Accept(r.Path, whole) == nil) {
				r.Body = whole
				made += len(whole)
				m.account.Restored++
			} else {
				m.account.Short++
			}
		}
		if r.Answer.ID != "" {
			answers[r.Answer.ID] = r
		}
	}
}

// behind is r's body with the turns of the request and the answer before it; nil: they are not known.
func behind(before, r *call.Call) []byte {
	if before == nil || before.Answer.Said == nil {
		return nil
	}
	body := r.Object()
	body["input"] = loose.Made(slices.Concat(inputs(before.Object()), before.Answer.Said, inputs(body)))
	return loose.Marshal(body)
}

// inputs are the items of a body's input.
func inputs(body loose.Object) []*loose.Value {
	if list := body["input"].Items(); list != nil {
		return list
	}
	return []*loose.Value{loose.Made(loose.Object{"role": loose.Made("user"), "content": body["input"]})}
}
