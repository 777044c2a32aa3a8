package chats

import (
	"warmroute/hostsim/internal/loose"
)

// langchain returns a body whose messages are LangChain's as a chat; nil: they are not.
func langchain(o loose.Object) loose.Object {
	for _, name := range []string{"messages", "input", "prompt"} {
		list := o[name].Unquote().Items()
		if len(list) == 1 && list[0].Items() != nil { // a batch of one
			list = list[0].Items()
		}
		if len(list) == 0 {
			continue
		}
		if role, _ := langchainRole(list[0].Object()); role == "" {
			continue
		}
		out := o.Without("messages", "input", "prompt")
		out["messages"] = loose.Made(langchainMessages(list))
		return out
	}
	return nil
}

func langchainMessages(list []*loose.Value) []loose.Object {
	var out []loose.Object
	for _, item := range list {
		o := item.Object()
		role, from := langchainRole(o)
		if role == "" {
			out = append(out, o)
			continue
		}
		content := from["content"]
		if !content.Filled() {
			content = loose.Made("")
		}
		m := loose.Object{"role": loose.Made(role), "content": content}
		if role == "tool" {
			m["tool_call_id"] = from["tool_call_id"]
		}
		if calls := langchainCalls(from); calls != nil {
			m["tool_calls"] = loose.Made(calls)
			m["content"] = withoutCalls(content)
		}
		out = append(out, m)
	}
	return out
}

// langchainCalls are a message's calls of tools, in the form of chat completions.
func langchainCalls(m loose.Object) []loose.Object {
	var out []loose.Object
	for _, item := range m["tool_calls"].Items() {
		call := item.Object()
		if call["function"] != nil {
			out = append(out, call)
			continue
		}
		out = append(out, loose.Object{"id": loose.FirstOf(call["id"], loose.Made("")), "type": loose.Made("function"),
			"function": loose.Made(loose.Object{"name": call["name"], "arguments": loose.Made(call["args"].Words())})})
	}
	if out == nil {
		for _, item := range m["additional_kwargs"].Object()["tool_calls"].Items() {
			out = append(out, item.Object())
		}
	}
	return out
}

// withoutCalls leaves out Anthropic's parts that say what tool_calls says.
func withoutCalls(content *loose.Value) *loose.Value {
	parts := content.Items()
	if parts == nil {
		return content
	}
	kept := []*loose.Value{}
	for _, part := range parts {
		if kind := part.Object()["type"].Text(); kind != "tool_use" && kind != "tool_call" && kind != "thinking" {
			kept = append(kept, part)
		}
	}
	return loose.Made(kept)
}
