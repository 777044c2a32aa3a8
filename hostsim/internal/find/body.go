package find

import (
	"slices"
	"strings"

	"warmroute/hostsim/internal/chats"
	"warmroute/hostsim/internal/loose"
	"warmroute/hostsim/internal/rawjson"
)

// bodyMembers are the members of requests that this project's replicas and module read, or that change what an answer
// costs. A record that has a body's members among its own is cut down to these.
var bodyMembers = []string{
	"model", "messages", "prompt", "suffix", "input", "instructions", "system", "tools", "tool_choice", "functions", "response_format", "max_tokens",
	"max_completion_tokens", "max_output_tokens", "stream", "stream_options", "previous_response_id", "cache_salt", "user", "prompt_cache_key", "n",
	"chat_template_kwargs", "documents", "prompt_logprobs", "temperature",
}

// HasBody says whether a record has a request's body.
func HasBody(o loose.Object) bool {
	body, _, _ := bodyOf(o, deep)
	return body != nil
}

// deep is how many levels below a record its body may stand: http.request.body.content in Elastic's, and in Envoy's access log service what a
// filter has left in common_properties.metadata.filter_metadata.
const deep = 5

// bodyOf finds a request's body in a record: the record itself, or at most depth levels below it, under one of the usual
// names first. Answers are not searched. raw is the body's text where it is a member, and holder the object that it is a
// member of.
func bodyOf(o loose.Object, depth int) (body, holder loose.Object, raw *loose.Value) {
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
		found, at, text := bodyOf(inner, depth-1)
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

// HasCutBody says whether a record has the beginning of a body.
func HasCutBody(o loose.Object) bool {
	for _, name := range o.Names(bodyNames, false) {
		s := strings.TrimSpace(o[name].Text())
		if strings.HasPrefix(s, "{") && !rawjson.Valid([]byte(s)) && (strings.Contains(s, `"messages"`) || strings.Contains(s, `"prompt"`) || strings.Contains(s, `"model"`)) {
			return true
		}
	}
	return false
}

// LacksBody says whether a record of a POST has a member for its request's body, and nothing in it.
func LacksBody(o loose.Object) bool {
	for _, name := range o.Names([]string{"requestbody", "reqbody", "body"}, false) {
		if text, is := o[name].Quoted(); is && (text == "" || text == "-") {
			return posted(o)
		}
	}
	return false
}

// Elsewhere says whether a record of Amazon Bedrock's names the object that has its body (docs.aws.amazon.com, "Monitor model invocation using
// CloudWatch Logs and Amazon S3").
func Elsewhere(o loose.Object) bool { return o["input"].Object()["inputBodyS3Path"].Filled() }

// posted says whether a record is of a POST, as far as it says.
func posted(o loose.Object) bool {
	for _, name := range o.Names(append([]string{"request", "requestline"}, methodNames...), false) {
		if method, _, _ := strings.Cut(o[name].Text(), " "); method != "" {
			return strings.EqualFold(method, "POST")
		}
	}
	return true
}

// cut is a body made of a record's own members.
func cut(o loose.Object) *loose.Value {
	out := loose.Object{}
	for _, source := range []loose.Object{o.Get(settingNames).Object(), o["optional_params"].Object(), o} {
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
	for _, name := range []string{"system", "instructions"} { // of a call that a gateway has as a chat
		if said := o.Get(settingNames).Object()[name]; out["messages"].IsList() && said.Filled() && !o[name].Filled() {
			delete(out, name)
			out["messages"] = loose.Made(append([]*loose.Value{loose.Made(loose.Object{"role": loose.Made("system"), "content": said})}, out["messages"].Items()...))
		}
	}
	if _, is := out["messages"].Quoted(); is { // LiteLLM's of text completions
		out["prompt"] = out["messages"]
		delete(out, "messages")
	}
	return loose.Made(out)
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
