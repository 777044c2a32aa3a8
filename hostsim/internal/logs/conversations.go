package logs

import (
	"fmt"
	"strconv"

	"warmroute/hostsim/internal/call"
	"warmroute/hostsim/internal/chats"
	"warmroute/hostsim/internal/clocks"
	"warmroute/hostsim/internal/loose"
	"warmroute/hostsim/internal/timeline"
)

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
		r := &call.Call{
			Path: call.ChatPath, Session: name, Body: c.prompt(messages[:i], o["model"]), Answer: call.Answer{Tokens: max(call.Tokens(chats.TextLength(loose.Made(m), 3)), 1)},
			Clocks: clocks.Earlier(began, -float64(turn)*timeline.Pause), Turn: turn, Paced: turn > 0,
		}
		c.add(r, r.Judge(c.options.Accept))
		turn++
	}
	if turn > 0 {
		c.report.Talks++
	}
}

// mayMake says whether one more prompt may be put together of turns. If not, why is for the report.
func (c *collector) mayMake() (may bool, why string) {
	if c.made < c.options.most {
		return true, ""
	}
	return false, fmt.Sprintf("a message after %d MiB of prompts were put together: take a part of the log (--limit)", c.options.most>>20)
}

// prompt is the body of a request whose messages were put together of turns. It names a model if that is filled.
func (c *collector) prompt(turns []loose.Object, model *loose.Value) []byte {
	body := loose.Object{"messages": loose.Made(turns)}
	if model.Filled() {
		body["model"] = model
	}
	whole := loose.Marshal(body)
	c.made += len(whole)
	return whole
}
