package find

import (
	"slices"
	"strings"

	"warmroute/hostsim/internal/chats"
	"warmroute/hostsim/internal/clocks"
	"warmroute/hostsim/internal/loose"
)

// IsMessage says whether a value is a turn of a chat, and so no record; one that names its conversation is.
func IsMessage(raw *loose.Value) bool {
	o := raw.Object()
	return sessionOf(o, nil) == "" && chats.Role(o["role"].Text()) != "" && (o["content"].Filled() || o["tool_calls"].Filled())
}

// Message is one message of a conversation, where a record is that.
type Message struct {
	Session string // that it is of; "": the record names none
	Agent   string // Claude Code's, of an agent's own conversation in a session; "": none
	Role    string // of chat completions
	Content string
	Model   *loose.Value // null where none is named
	Output  int          // tokens, as the server counted; 0: not said
	Clocks  []clocks.Reading
	Clock   string // the time as it stands, for messages
}

// insideNames are the members under which a record has its message, and wordNames those with a message's text.
var (
	insideNames = []string{"message", "payload"}
	wordNames   = []string{"content", "text", "message"}
)

// MessageOf reads a record that is one message of a conversation; false: it is none. outer are the times that the wrapping has.
func MessageOf(o loose.Object, outer []clocks.Reading) (s Message, ok bool) {
	m := o
	for _, name := range o.Names(insideNames, false) {
		if inner := o[name].Object(); chats.Role(inner["role"].Text()) != "" {
			m = inner
		}
	}
	s.Role = chats.Role(m["role"].Text())
	if s.Content = plainWords(m.Get(wordNames)); m["tool_calls"].Filled() {
		s.Content += string(m["tool_calls"].Compact())
	}
	if s.Role == "" || s.Content == "" {
		return Message{}, false
	}
	s.Session, s.Agent, s.Model = sessionOf(o, m), o["agentId"].Text(), loose.FirstOf(m["model"], o["model"]).Copied()
	s.Clocks, s.Clock = slices.Concat(clocks.Of(o), outer), clocks.Shown(o)
	s.Output, _ = usage(m)
	return s, true
}

// plainWords is the text of a message's content; of parts without text their JSON, and nothing of a model's own thoughts.
func plainWords(content *loose.Value) string {
	parts := content.Items()
	if words := content.Text(); words != "" || !content.Filled() {
		return words
	} else if parts == nil {
		return string(content.Compact())
	}
	var b strings.Builder
	for _, part := range parts {
		p := part.Object()
		switch words := p["text"].Text(); {
		case slices.Contains([]string{"thinking", "redacted_thinking", "reasoning"}, p["type"].Text()):
		case words != "":
			b.WriteString(words)
		default:
			b.Write(part.Compact())
		}
	}
	return b.String()
}
