package capture

import (
	"slices"

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
		messages = vercel(a["ai.prompt.messages"])
	}
	if len(messages) == 0 {
		messages = indexed(a, "gen_ai.prompt.", "llm.input_messages.")
	}
	if system := chats.PartsText(a["gen_ai.system_instructions"]); system != "" && len(messages) > 0 {
		messages = slices.Insert(messages, 0, loose.Object{"role": loose.Made("system"), "content": loose.Made(system)})
	}
	return messages
}
