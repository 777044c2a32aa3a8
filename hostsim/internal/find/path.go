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

// CustomID is the name by which an answer is joined to its request, as in OpenAI's batches, or in Azure API Management's log, where a call is
// several records; "": the record has none.
func CustomID(o loose.Object) string {
	if id := o.Get(idNames).Text(); id != "" || Part(o) == 0 {
		return id
	}
	return o.Get([]string{"correlationid"}).Text()
}

// Part is the number from 1 of a record that has a part of a call: Azure API Management logs a call's tokens, its messages (in several records,
// if they are long) and its answer apart, with one CorrelationId and a SequenceNumber (learn.microsoft.com, "Log token usage, prompts, and
// completions for LLM APIs"). 0: it is whole.
func Part(o loose.Object) int {
	n, ok := o.Get([]string{"sequencenumber"}).Whole()
	if !ok || !o.Get([]string{"correlationid"}).Filled() {
		return 0
	}
	if len(o.Names([]string{"requestmessages", "responsemessages"}, false)) == 0 && !strings.EqualFold(o.Get([]string{"category"}).Text(), "GatewayLlmLogs") {
		return 0 // others number whole requests
	}
	return n + 1
}
