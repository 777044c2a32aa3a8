package chats

import "warmroute/hostsim/internal/loose"

// Conversation returns the turns of a whole conversation of a data set, ShareGPT's {"from", "value"} or {"role", "content"}, as
// messages; nil: o is none. A request to a model names it, and ends in what it asks.
func Conversation(o loose.Object) []loose.Object {
	if chat := o["chat"].Object(); chat != nil { // Open WebUI's exports
		o = chat
	}
	for _, name := range []string{"conversations", "conversation", "messages"} {
		turns := o[name].Items()
		if chat := langchain(loose.Object{"messages": o[name]}); chat != nil {
			turns = chat["messages"].Items()
		}
		if len(turns) < 2 || name == "messages" && o["model"].Filled() {
			continue
		}
		var messages []loose.Object
		answers := 0
		for _, turn := range turns {
			message := turnOfChat(turn.Object())
			if message == nil {
				messages = nil
				break
			}
			if message["role"].Text() == "assistant" {
				answers++
			}
			messages = append(messages, message)
		}
		if answers > 0 && messages != nil && (name != "messages" || messages[len(messages)-1]["role"].Text() == "assistant") {
			return messages
		}
	}
	return nil
}

// turnOfChat is a turn as a message of chat completions, with its parts and calls of tools; nil: it is none.
func turnOfChat(t loose.Object) loose.Object {
	if role := Role(t["from"].Text()); role != "" {
		return loose.Object{"role": loose.Made(role), "content": loose.Made(t["value"].Text())}
	}
	role := Role(t["role"].Text())
	if role == "" {
		return nil
	}
	message := loose.Object{"role": loose.Made(role), "content": loose.Made("")}
	for _, name := range []string{"content", "tool_calls", "tool_call_id"} {
		if t[name].Filled() {
			message[name] = t[name]
		}
	}
	return message
}
