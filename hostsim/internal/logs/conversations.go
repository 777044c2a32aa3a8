package logs

import (
	"strconv"

	"warmroute/hostsim/internal/clocks"
	"warmroute/hostsim/internal/loose"
)

// roles are those of ShareGPT's turns, by their names there.
var roles = map[string]string{
	"human": "user", "ai": "assistant", "user": "user", "gpt": "assistant", "chatgpt": "assistant", "bing": "assistant", "bard": "assistant", "bot": "assistant", "assistant": "assistant",
	"model": "assistant", "system": "system", "tool": "tool", "function": "tool", "observation": "tool", "developer": "developer",
}

// conversation returns the turns of a whole conversation of a data set, ShareGPT's {"from", "value"} or {"role", "content"}, as
// messages; nil: o is none. A request to a model names it, and ends in what it asks.
func conversation(o loose.Object) []loose.Object {
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
	if role := roles[t["from"].Text()]; role != "" {
		return loose.Object{"role": loose.Made(role), "content": loose.Made(t["value"].Text())}
	}
	role := roles[t["role"].Text()]
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

// pause is how far apart the turns of a conversation are taken to begin, in seconds: an answer, and the time to read it.
const pause = 20

// converse makes a request of each answer in a conversation.
func (c *collector) converse(o loose.Object, messages []loose.Object) {
	name := "conversation at line " + strconv.Itoa(c.report.Lines)
	for _, id := range []string{"id", "conversation_id", "conversation_hash"} {
		if s := o[id].Text(); s != "" {
			name = "conversation " + s
		}
	}
	began := clocks.Of(o)
	turn := 0
	for i, m := range messages {
		if m["role"].Text() != "assistant" || i == 0 || c.full() {
			continue
		}
		if may, why := c.mayMake(); !may {
			c.leave(why)
			break
		}
		body := loose.Object{"messages": loose.Made(messages[:i])}
		if model := o["model"]; model.Filled() {
			body["model"] = model
		}
		whole := loose.Marshal(body)
		c.made += len(whole)
		r := &record{
			path: paths[0], session: name, body: whole, output: max(tokens(textLength(loose.Made(m), 3)), 1),
			clocks: clocks.Earlier(began, -float64(turn)*pause), turn: turn, paced: turn > 0,
		}
		c.add(r, c.options.judge(r))
		turn++
	}
	if turn > 0 {
		c.report.Talks++
	}
}
