package logs

import (
	"net/url"
	"slices"
	"strings"

	"warmroute/hostsim/internal/call"
	"warmroute/hostsim/internal/chats"
	"warmroute/hostsim/internal/loose"
	"warmroute/hostsim/internal/rawjson"
)

// The names under which logs have what is wanted, as plain gives them; what is looked for first stands first.
var (
	bodyNames     = []string{"requestbody", "reqbody", "body", "proxyserverrequest", "httprequest", "request", "req", "payload", "inputbodyjson", "input", "kwargs"}
	answerNames   = []string{"responsebody", "respbody", "response", "resp", "answer", "completion", "output", "outputs", "outputbodyjson", "result", "fullresponse", "tooluseresult"}
	wrapNames     = []string{"jsonpayload", "textpayload", "log", "message", "msg", "line", "event", "standardloggingobject", "nginxfields", "attributes", "source", "raw"}
	sessionNames  = []string{"session", "sessionid", "xsessionid", "conversationid", "conversation", "threadid", "chatid", "promptcachekey", "traceid"}
	pathNames     = []string{"path", "url", "uri", "requesturi", "requestpath", "xenvoyoriginalpath", "endpoint", "request", "requestline", "target"}
	methodNames   = []string{"method", "requestmethod", "httpmethod", "verb"}
	statusNames   = []string{"status", "responsecode", "statuscode", "httpstatus", "responsestatus"}
	idNames       = []string{"customid"}
	usageNames    = []string{"usage", "usageobject", "usagedetails", "usagemetadata", "tokenusage", "llmoutput", "metrics"}
	outputNames   = []string{"completiontokens", "outputtokens", "generatedtokens", "outputlength", "candidatestokencount", "evalcount", "outputtokencount", "tokensout"}
	metadataNames = []string{"metadata", "headers", "requestheaders", "tags", "extra"}
)

// bodyMembers are the members of requests that this project's replicas and module read, or that change what an answer
// costs. A record that has a body's members among its own is cut down to these.
var bodyMembers = []string{
	"model", "messages", "prompt", "suffix", "input", "instructions", "system", "tools", "tool_choice", "functions", "response_format", "max_tokens",
	"max_completion_tokens", "max_output_tokens", "stream", "stream_options", "previous_response_id", "cache_salt", "user", "prompt_cache_key", "n",
	"chat_template_kwargs", "documents", "prompt_logprobs", "temperature",
}

// findBody finds a request's body in a record: the record itself, or at most depth levels below it, under one of the usual
// names first. Answers are not searched. raw is the body's text where it is a member, and holder the object that it is a
// member of.
func findBody(o loose.Object, depth int) (body, holder loose.Object, raw *loose.Value) {
	if chats.IsBody(o) {
		return o, nil, nil
	}
	if depth == 0 {
		return nil, nil, nil
	}
	for _, name := range o.Names(bodyNames, true) {
		if loose.IsOne(name, answerNames) && !loose.IsOne(name, bodyNames) {
			continue
		}
		inner := o[name].Object()
		if inner == nil {
			continue
		}
		renamed := chats.Rename(inner)
		found, at, text := findBody(inner, depth-1)
		switch {
		case found == nil:
		case at == nil && renamed:
			return found, o, loose.Made(inner)
		case at == nil:
			return found, o, o[name].Unquote()
		default:
			return found, at, text
		}
	}
	return nil, nil, nil
}

// hasCutBody says whether a record has the beginning of a body.
func hasCutBody(o loose.Object) bool {
	for _, name := range o.Names(bodyNames, false) {
		s := strings.TrimSpace(o[name].Text())
		if strings.HasPrefix(s, "{") && !rawjson.Valid([]byte(s)) && (strings.Contains(s, `"messages"`) || strings.Contains(s, `"prompt"`) || strings.Contains(s, `"model"`)) {
			return true
		}
	}
	return false
}

// cut is a body made of a record's own members.
func cut(o loose.Object) *loose.Value {
	out := loose.Object{}
	for _, source := range []loose.Object{o["model_parameters"].Object(), o["optional_params"].Object(), o} {
		for _, name := range bodyMembers {
			if v := source[name]; v.Filled() {
				out[name] = v
			}
		}
	}
	for _, name := range []string{"max_tokens", "max_completion_tokens", "max_output_tokens"} {
		if n, ok := out[name].Whole(); ok { // a text, in Langfuse's
			out[name] = loose.Made(n)
		}
	}
	for name, is := range map[string]func(*loose.Value) bool{"messages": (*loose.Value).IsList, "tools": (*loose.Value).IsList, "system": (*loose.Value).IsList, "prompt": chats.IsTurns, "input": chats.IsTurns} {
		if raw := out[name].Unquote(); is(raw) { // lists that the log has as texts
			out[name] = raw
		}
	}
	if _, is := out["messages"].Quoted(); is { // LiteLLM's of text completions
		out["prompt"] = out["messages"]
		delete(out, "messages")
	}
	return loose.Made(out)
}

// findPath returns the API's path of a record, or of its body; other is the path of a request that is not for a prompt.
func findPath(o, body loose.Object) (path, other string) {
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

// findSession returns the name of a record's session, "" if it names none.
func findSession(o, body loose.Object) string {
	for _, at := range []loose.Object{o, body, o.Get(metadataNames).Object(), body["metadata"].Object()} {
		for _, name := range at.Names(sessionNames, false) {
			if s := at[name].Text(); s != "" && s != "-" {
				return loose.Plain(name) + " " + s
			}
		}
	}
	return ""
}

// anyMessages returns the first list of messages that a record has, whatever its name is, unless that is an answer's; nil: it has none.
func anyMessages(o loose.Object) *loose.Value {
	for _, name := range o.Names(nil, true) {
		of := func(part string) bool { return strings.Contains(loose.Plain(name), part) }
		if value := o[name].Unquote(); chats.IsTurns(value) && !slices.ContainsFunc(answerNames, of) {
			return value
		}
	}
	return nil
}
