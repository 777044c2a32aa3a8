package logs

import (
	"strings"
)

// langchainRole is the role of one of LangChain's messages: as its constructor's arguments ({"lc", "id", "kwargs"}), as
// messages_to_dict writes it ({"type", "data"}), or with type and content. "": o is none of these.
func langchainRole(o object) (role string, message object) {
	kind := text(o["type"])
	switch {
	case o["kwargs"] != nil && filled(o["id"]):
		message = asObject(o["kwargs"])
		if id := items(o["id"]); len(id) > 0 {
			kind = text(id[len(id)-1])
		}
	case asObject(o["data"]) != nil:
		message = asObject(o["data"])
	case o["content"] != nil && o["role"] == nil:
		message = o
	case text(o["role"]) == "human" || text(o["role"]) == "ai":
		message, kind = o, text(o["role"])
	default:
		return "", nil
	}
	kind = strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(kind, "Chunk"), "Message"))
	return roles[kind], message
}

// langchain returns a body whose messages are LangChain's as a chat; nil: they are not.
func langchain(o object) object {
	for _, name := range []string{"messages", "input", "prompt"} {
		list := items(unquote(o[name]))
		if len(list) == 1 && items(list[0]) != nil { // a batch of one
			list = items(list[0])
		}
		if len(list) == 0 {
			continue
		}
		if role, _ := langchainRole(asObject(list[0])); role == "" {
			continue
		}
		out := o.without("messages", "input", "prompt")
		out["messages"] = made(langchainMessages(list))
		return out
	}
	return nil
}

func langchainMessages(list []*value) []object {
	var out []object
	for _, item := range list {
		o := asObject(item)
		role, from := langchainRole(o)
		if role == "" {
			out = append(out, o)
			continue
		}
		content := from["content"]
		if !filled(content) {
			content = made("")
		}
		m := object{"role": made(role), "content": content}
		if role == "tool" {
			m["tool_call_id"] = from["tool_call_id"]
		}
		if calls := langchainCalls(from); calls != nil {
			m["tool_calls"] = made(calls)
			m["content"] = withoutCalls(content)
		}
		out = append(out, m)
	}
	return out
}

// langchainCalls are a message's calls of tools, in the form of chat completions.
func langchainCalls(m object) []object {
	var out []object
	for _, item := range items(m["tool_calls"]) {
		call := asObject(item)
		if call["function"] != nil {
			out = append(out, call)
			continue
		}
		out = append(out, object{"id": firstOf(call["id"], made("")), "type": made("function"),
			"function": made(object{"name": call["name"], "arguments": made(words(call["args"]))})})
	}
	if out == nil {
		for _, item := range items(asObject(m["additional_kwargs"])["tool_calls"]) {
			out = append(out, asObject(item))
		}
	}
	return out
}

// withoutCalls leaves out Anthropic's parts that say what tool_calls says.
func withoutCalls(content *value) *value {
	parts := items(content)
	if parts == nil {
		return content
	}
	kept := []*value{}
	for _, part := range parts {
		if kind := text(asObject(part)["type"]); kind != "tool_use" && kind != "tool_call" && kind != "thinking" {
			kept = append(kept, part)
		}
	}
	return made(kept)
}

// invoked gives a body what LangSmith has beside it: the model and other members of the call. false: it has nothing.
func invoked(body, record object) (any bool) {
	call := asObject(asObject(record["extra"])["invocation_params"])
	for _, name := range []string{"model", "tools", "max_tokens", "max_completion_tokens"} {
		if filled(call[name]) && !filled(body[name]) {
			body[name], any = call[name], true
		}
	}
	return any
}
