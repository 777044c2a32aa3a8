package logs

import (
	"slices"
	"strconv"
	"strings"

	"warmroute/hostsim/internal/loose"
)

// spanMessages are the messages that a span's attributes have, in the form of chat completions.
func spanMessages(a loose.Object) []loose.Object {
	messages := chatMessages(a["gen_ai.input.messages"])
	if len(messages) == 0 {
		messages = chatMessages(a["gen_ai.prompt"])
	}
	if len(messages) == 0 {
		messages = indexed(a, "gen_ai.prompt.", "llm.input_messages.")
	}
	if system := parts2text(a["gen_ai.system_instructions"]); system != "" && len(messages) > 0 {
		messages = slices.Insert(messages, 0, loose.Object{"role": loose.Made("system"), "content": loose.Made(system)})
	}
	return messages
}

// chatMessages reads a list of messages, as JSON or a string with it: those with parts, of OpenTelemetry, become the messages of
// chat completions; others are taken as they are.
func chatMessages(raw *loose.Value) []loose.Object {
	var out []loose.Object
	for _, item := range raw.Unquote().Items() {
		m := item.Object()
		if m["role"].Text() == "" {
			continue
		}
		parts := m["parts"].Items()
		if parts == nil {
			if m["content"].Filled() || m["tool_calls"].Filled() {
				out = append(out, m)
			}
			continue
		}
		message := loose.Object{"role": m["role"], "content": loose.Made(parts2text(m["parts"]))}
		var calls []any
		for _, part := range parts {
			p := part.Object()
			switch p["type"].Text() {
			case "tool_call":
				calls = append(calls, map[string]any{"id": p["id"].Text(), "type": "function",
					"function": map[string]string{"name": p["name"].Text(), "arguments": p["arguments"].Words()}})
			case "tool_call_response":
				result := p["response"]
				if !result.Filled() {
					result = p["result"]
				}
				out = append(out, loose.Object{"role": loose.Made("tool"), "tool_call_id": loose.Made(p["id"].Text()), "content": loose.Made(result.Words())})
			}
		}
		if calls != nil {
			message["tool_calls"] = loose.Made(calls)
		}
		if calls != nil || message["content"].Text() != "" {
			out = append(out, message)
		}
	}
	return out
}

// parts2text is the text of OpenTelemetry's parts; a model's own thoughts are left out, as templates leave them out of later turns.
func parts2text(raw *loose.Value) string {
	var b strings.Builder
	for _, part := range raw.Unquote().Items() {
		switch p := part.Object(); p["type"].Text() {
		case "text", "":
			b.WriteString(p["content"].Text())
		case "tool_call", "tool_call_response", "reasoning":
		default: // an image, or what comes later: what is known of it
			b.Write(part.Compact())
		}
	}
	return b.String()
}

// anyMessages returns the first list of messages that a record has, whatever its name is, unless that is an answer's; nil: it has none.
func anyMessages(o loose.Object) *loose.Value {
	for _, name := range o.Names(nil, true) {
		of := func(part string) bool { return strings.Contains(loose.Plain(name), part) }
		if value := o[name].Unquote(); turns(value) && !slices.ContainsFunc(answerNames, of) {
			return value
		}
	}
	return nil
}

// maxMessages bounds the messages of a prompt in numbered attributes.
const maxMessages = 1 << 16

// indexed reads messages in attributes such as gen_ai.prompt.0.content, or llm.input_messages.0.message.content.
func indexed(a loose.Object, prefixes ...string) []loose.Object {
	var out []loose.Object
	for _, prefix := range prefixes {
		for i := range maxMessages {
			at := prefix + strconv.Itoa(i) + "."
			m := loose.Object{}
			for name, from := range map[string]string{"role": "role", "content": "content", "tool_call_id": "tool_call_id"} {
				for _, name2 := range []string{at + from, at + "message." + from} {
					if v := a[name2]; v.Filled() {
						m[name] = v
					}
				}
			}
			if len(m) == 0 {
				break
			}
			if m["role"] == nil {
				m["role"] = loose.Made("user")
			}
			m["content"] = loose.Made(m["content"].Words())
			out = append(out, m)
		}
	}
	return out
}
