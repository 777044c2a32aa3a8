package find

import (
	"strings"

	"warmroute/hostsim/internal/capture"
	"warmroute/hostsim/internal/chats"
	"warmroute/hostsim/internal/loose"
	"warmroute/hostsim/internal/serverlog"
)

// unwrap returns the record inside another log's record: as an object, or as text.
func unwrap(o loose.Object) (inner loose.Object, inside string) {
	for _, at := range []loose.Object{o, o["kwargs"].Object()} { // what LiteLLM gives callbacks, whose payload has all that the rest has, and more
		if inner := at["standard_logging_object"].Object(); inner != nil && HasBody(inner) {
			return inner, ""
		}
	}
	if chats.IsBody(o) {
		return nil, ""
	}
	for _, name := range o.Names(wrapNames, false) {
		if inner := o[name].Object(); inner != nil {
			chats.Rename(inner)
			if body, _, _ := bodyOf(inner, deep); body != nil || serverlog.IsObject(inner) {
				return inner, ""
			}
		}
	}
	if text := journalText(o); text != "" {
		if inner := loose.Read([]byte(text)).Object(); inner != nil {
			return inner, ""
		}
		o = loose.Object{"message": loose.Made(text)}
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

// Unusable says why a request's work was not done, or was none of this kind; "" if it was.
func Unusable(o, holder loose.Object) string {
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
	if fromCache(o) {
		return "answered from the gateway's own cache, so that no replica saw it"
	}
	kind := strings.ToLower(o["call_type"].Text()) // LiteLLM's
	for _, other := range []string{"embedding", "rerank", "image", "transcription", "speech", "moderation"} {
		if strings.Contains(kind, other) {
			return "not for a prompt: " + kind
		}
	}
	return ""
}
