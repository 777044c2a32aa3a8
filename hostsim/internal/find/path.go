package find

import (
	"net/url"
	"strings"

	"warmroute/hostsim/internal/call"
	"warmroute/hostsim/internal/loose"
)

// pathOf returns the API's path of a record, or of its body; other is the path of a request that is not for a prompt.
func pathOf(o, body loose.Object) (path, other string) {
	for _, name := range o.Names(pathNames, false) {
		p := o[name].Text()
		if method, rest, ok := strings.Cut(p, " "); ok && strings.ToUpper(method) == method { // a request line
			p, _, _ = strings.Cut(rest, " ")
		}
		u, err := url.Parse(p)
		if err != nil || !strings.Contains(u.Path, "/") {
			continue
		}
		for _, known := range call.Paths {
			if strings.HasSuffix("/"+u.Path, strings.TrimPrefix(known, "/v1")) {
				return known, ""
			}
		}
		if last := u.Path[strings.LastIndexByte(u.Path, '/'):]; last == "/embeddings" || last == "/rerank" || last == "/score" || last == "/moderations" {
			return "", u.Path
		}
	}
	switch {
	case body["prompt"].Filled():
		return call.CompletionsPath, ""
	case body["messages"].Filled() && body["system"].Filled():
		return call.MessagesPath, ""
	case body["messages"].Filled():
		return call.ChatPath, ""
	}
	return call.ResponsesPath, ""
}

// CustomID is the name by which an answer is joined to its request, as in OpenAI's batches; "": the record has none.
func CustomID(o loose.Object) string { return o.Get(idNames).Text() }
