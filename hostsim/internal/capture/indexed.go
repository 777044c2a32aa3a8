package capture

import (
	"slices"
	"strconv"

	"warmroute/hostsim/internal/chats"
	"warmroute/hostsim/internal/loose"
)

// maxMessages bounds the messages of a prompt in numbered attributes.
const maxMessages = 1 << 16

// indexed reads messages in attributes such as gen_ai.prompt.0.content (OpenLLMetry's), or llm.input_messages.0.message.content (OpenInference's,
// in whose semantic conventions a message has contents instead where it has several parts).
func indexed(a loose.Object, prefixes ...string) []loose.Object {
	var out []loose.Object
	for _, prefix := range prefixes {
		for i := range maxMessages {
			at := prefix + strconv.Itoa(i) + "."
			m := loose.Object{}
			for _, name := range []string{"role", "content", "tool_call_id"} {
				for _, name2 := range []string{at + name, at + "message." + name} {
					if v := a[name2]; v.Filled() {
						m[name] = v
					}
				}
			}
			parts := slices.Concat(numberedContents(a, at+"message.contents."), numberedCalls(a, at+"tool_calls.", "", ""), numberedCalls(a, at+"message.tool_calls.", "tool_call.", "function."))
			if len(m) == 0 && parts == nil {
				break
			}
			if m["role"] == nil {
				m["role"] = loose.Made("user")
			}
			m["content"] = listed(m["content"])
			out = append(out, withParts(m, parts))
		}
	}
	return out
}

// numberedContents are the parts of a message in OpenInference's attributes, as OpenTelemetry has them.
func numberedContents(a loose.Object, prefix string) []loose.Object {
	var parts []loose.Object
	for i := range maxMessages {
		at := prefix + strconv.Itoa(i) + ".message_content."
		text, url := a[at+"text"], a[at+"image.image.url"]
		switch {
		case text.Filled():
			parts = append(parts, loose.Object{"type": loose.Made("text"), "content": text})
		case url.Filled():
			parts = append(parts, loose.Object{"type": loose.Made("image"), "uri": url})
		case a[at+"type"] == nil:
			return parts
		}
	}
	return parts
}

// numberedCalls are the calls of tools in a message's attributes, as OpenTelemetry has them; under and of stand before their members' names.
func numberedCalls(a loose.Object, prefix, under, of string) []loose.Object {
	var parts []loose.Object
	for i := range maxMessages {
		at := prefix + strconv.Itoa(i) + "." + under
		name := a[at+of+"name"]
		if !name.Filled() {
			break
		}
		parts = append(parts, loose.Object{"type": loose.Made("tool_call"), "id": a[at+"id"], "name": name, "arguments": a[at+of+"arguments"]})
	}
	return parts
}

// withParts gives a message what its parts say, in the form of chat completions.
func withParts(m loose.Object, parts []loose.Object) loose.Object {
	if parts == nil {
		return m
	}
	for _, made := range ofParts(m["role"], parts) {
		if content := made["content"]; content.Filled() && !m["content"].Filled() {
			m["content"] = content
		}
		if calls := made["tool_calls"]; calls.Filled() {
			m["tool_calls"] = calls
		}
	}
	return m
}

// ofParts are the messages of chat completions that one of OpenTelemetry's is, by its parts.
func ofParts(role *loose.Value, parts []loose.Object) []loose.Object {
	of := loose.Made(loose.Object{"role": role, "parts": loose.Made(parts)})
	return chats.Messages(loose.Made([]*loose.Value{of}))
}

// listed is a message's content: a list of texts and pictures where it is the JSON of one, else a text.
func listed(content *loose.Value) *loose.Value {
	items := content.Unquote().Items()
	for _, item := range items {
		if kind := item.Object()["type"].Text(); kind != "text" && kind != "image_url" {
			return loose.Made(content.Words())
		}
	}
	if items == nil {
		return loose.Made(content.Words())
	}
	return content.Unquote()
}

// tools are the tools of a call in a span's attributes: OpenTelemetry's, OpenInference's, OpenLLMetry's or Vercel's; nil: it has none.
func tools(a loose.Object) *loose.Value {
	if all := a["gen_ai.tool.definitions"].Unquote(); all.IsList() {
		return all
	}
	var out []*loose.Value
	for i := range maxMessages {
		if one := a["llm.tools."+strconv.Itoa(i)+".tool.json_schema"]; one.Unquote().Object() != nil {
			out = append(out, one.Unquote())
			continue
		}
		at := "llm.request.functions." + strconv.Itoa(i) + "."
		if !a[at+"name"].Filled() {
			break
		}
		f := loose.Object{"name": a[at+"name"]}
		for _, name := range []string{"description", "parameters"} {
			if v := a[at+name].Unquote(); v.Filled() {
				f[name] = v
			}
		}
		out = append(out, loose.Made(loose.Object{"type": loose.Made("function"), "function": loose.Made(f)}))
	}
	for _, one := range a["ai.prompt.tools"].Unquote().Items() {
		if one.Unquote().Object() != nil {
			out = append(out, one.Unquote())
		}
	}
	if out == nil {
		return nil
	}
	return loose.Made(out)
}
