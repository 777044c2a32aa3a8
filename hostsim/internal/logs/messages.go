package logs

import (
	"slices"
	"strconv"
	"strings"
)

// spanMessages are the messages that a span's attributes have, in the form of chat completions.
func spanMessages(a object) []object {
	messages := chatMessages(a["gen_ai.input.messages"])
	if len(messages) == 0 {
		messages = chatMessages(a["gen_ai.prompt"])
	}
	if len(messages) == 0 {
		messages = indexed(a, "gen_ai.prompt.", "llm.input_messages.")
	}
	if system := parts2text(a["gen_ai.system_instructions"]); system != "" && len(messages) > 0 {
		messages = slices.Insert(messages, 0, object{"role": made("system"), "content": made(system)})
	}
	return messages
}

// chatMessages reads a list of messages, as JSON or a string with it: those with parts, of OpenTelemetry, become the messages of
// chat completions; others are taken as they are.
func chatMessages(raw *value) []object {
	var out []object
	for _, item := range items(unquote(raw)) {
		m := asObject(item)
		if text(m["role"]) == "" {
			continue
		}
		parts := items(m["parts"])
		if parts == nil {
			if filled(m["content"]) || filled(m["tool_calls"]) {
				out = append(out, m)
			}
			continue
		}
		message := object{"role": m["role"], "content": made(parts2text(m["parts"]))}
		var calls []any
		for _, part := range parts {
			p := asObject(part)
			switch text(p["type"]) {
			case "tool_call":
				calls = append(calls, map[string]any{"id": text(p["id"]), "type": "function",
					"function": map[string]string{"name": text(p["name"]), "arguments": words(p["arguments"])}})
			case "tool_call_response":
				result := p["response"]
				if !filled(result) {
					result = p["result"]
				}
				out = append(out, object{"role": made("tool"), "tool_call_id": made(text(p["id"])), "content": made(words(result))})
			}
		}
		if calls != nil {
			message["tool_calls"] = made(calls)
		}
		if calls != nil || text(message["content"]) != "" {
			out = append(out, message)
		}
	}
	return out
}

// parts2text is the text of OpenTelemetry's parts; a model's own thoughts are left out, as templates leave them out of later turns.
func parts2text(raw *value) string {
	var b strings.Builder
	for _, part := range items(unquote(raw)) {
		switch p := asObject(part); text(p["type"]) {
		case "text", "":
			b.WriteString(text(p["content"]))
		case "tool_call", "tool_call_response", "reasoning":
		default: // an image, or what comes later: what is known of it
			b.Write(compact(part))
		}
	}
	return b.String()
}

// words is a string's text, or anything else as JSON.
func words(raw *value) string {
	if s, ok := raw.text(); ok {
		return s
	}
	return string(compact(raw))
}

// anyMessages returns the first list of messages that a record has, whatever its name is, unless that is an answer's; nil: it has none.
func anyMessages(o object) *value {
	for _, name := range o.names(nil, true) {
		of := func(part string) bool { return strings.Contains(plain(name), part) }
		if value := unquote(o[name]); turns(value) && !slices.ContainsFunc(answerNames, of) {
			return value
		}
	}
	return nil
}

// maxMessages bounds the messages of a prompt in numbered attributes.
const maxMessages = 1 << 16

// indexed reads messages in attributes such as gen_ai.prompt.0.content, or llm.input_messages.0.message.content.
func indexed(a object, prefixes ...string) []object {
	var out []object
	for _, prefix := range prefixes {
		for i := range maxMessages {
			at := prefix + strconv.Itoa(i) + "."
			m := object{}
			for name, from := range map[string]string{"role": "role", "content": "content", "tool_call_id": "tool_call_id"} {
				for _, name2 := range []string{at + from, at + "message." + from} {
					if v := a[name2]; filled(v) {
						m[name] = v
					}
				}
			}
			if len(m) == 0 {
				break
			}
			if m["role"] == nil {
				m["role"] = made("user")
			}
			m["content"] = made(words(m["content"]))
			out = append(out, m)
		}
	}
	return out
}
