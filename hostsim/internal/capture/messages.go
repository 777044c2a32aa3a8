package capture

import (
	"slices"
	"strconv"

	"warmroute/hostsim/internal/chats"
	"warmroute/hostsim/internal/loose"
)

// spanMessages are the messages that a span's attributes have, in the form of chat completions.
func spanMessages(a loose.Object) []loose.Object {
	messages := chats.Messages(a["gen_ai.input.messages"])
	if len(messages) == 0 {
		messages = chats.Messages(a["gen_ai.prompt"])
	}
	if len(messages) == 0 {
		messages = chats.Messages(a["ai.prompt.messages"])
	}
	if len(messages) == 0 {
		messages = indexed(a, "gen_ai.prompt.", "llm.input_messages.")
	}
	if system := chats.PartsText(a["gen_ai.system_instructions"]); system != "" && len(messages) > 0 {
		messages = slices.Insert(messages, 0, loose.Object{"role": loose.Made("system"), "content": loose.Made(system)})
	}
	return messages
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
