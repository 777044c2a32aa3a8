package logs

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"warmroute/hostsim/internal/call"
	"warmroute/hostsim/internal/chats"
	"warmroute/hostsim/internal/clocks"
	"warmroute/hostsim/internal/loose"
)

// talk is a conversation of which the log has each message by itself, as the tables of chat programs and the transcripts of agents do.
type talk struct {
	name  string
	order int // of its first message among those of others
	turns []single
}

// single is one message of a talk.
type single struct {
	clocks  []clocks.Reading
	clock   string
	place   call.Place
	role    string
	content string
	model   *loose.Value
	output  int // tokens, as the server counted; 0: not said
}

// insideNames are the members under which a record has its message, and wordNames those with a message's text.
var (
	insideNames = []string{"message", "payload"}
	wordNames   = []string{"content", "text", "message"}
)

// message takes a record that is one message of a conversation; false: it is none.
func (c *collector) message(o loose.Object, outer []clocks.Reading) bool {
	m := o
	for _, name := range o.Names(insideNames, false) {
		if inner := o[name].Object(); chats.Role(inner["role"].Text()) != "" {
			m = inner
		}
	}
	s := single{role: chats.Role(m["role"].Text()), clock: clocks.Shown(o), place: c.place(), model: loose.FirstOf(m["model"], o["model"]).Copied()}
	if s.content = plainWords(m.Get(wordNames)); m["tool_calls"].Filled() {
		s.content += string(m["tool_calls"].Compact())
	}
	if s.role == "" || s.content == "" {
		return false
	}
	s.clocks = slices.Concat(clocks.Of(o), outer)
	s.output, _ = usage(m)
	name := cmp.Or(findSession(o, m), "file "+c.name) + o["agentId"].Text() // the last Claude Code's, of an agent's own conversation
	if c.talks[name] == nil {
		c.talks[name] = &talk{name: name, order: len(c.talks)}
	}
	c.talks[name].turns = append(c.talks[name].turns, s)
	return true
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

// talked makes requests of the messages that came one by one: each answer is one's, with all before it. Beside whole requests such
// messages are the same traffic once more.
func (c *collector) talked() {
	asked := false
	for _, t := range slices.SortedFunc(maps.Values(c.talks), func(a, b *talk) int { return a.order - b.order }) {
		switch {
		case len(c.records) > 0 && !asked:
			t.leave(c, "a message by itself, beside whole requests")
		case !slices.ContainsFunc(t.turns, func(s single) bool { return s.role == "assistant" }):
			t.leave(c, "a message without an answer")
		default:
			c.ask(t)
			asked = true
		}
	}
}

func (t *talk) leave(c *collector, why string) { t.leaveFrom(c, 0, why) }

// leaveFrom leaves out a turn and all after it.
func (t *talk) leaveFrom(c *collector, turn int, why string) {
	for _, s := range t.turns[turn:] {
		c.report.leave(why, s.place.File, s.place.Line)
	}
}

// ask makes requests of a talk.
func (c *collector) ask(t *talk) {
	if !slices.ContainsFunc(t.turns, func(s single) bool { return s.clocks == nil }) {
		slices.SortStableFunc(t.turns, func(a, b single) int { return cmp.Compare(a.clocks[0].At, b.clocks[0].At) })
	}
	c.report.Single += len(t.turns)
	var before []loose.Object
	var asked single
	first := len(c.records)
	for i := 0; i < len(t.turns) && !c.full(); i++ {
		if may, why := c.mayMake(); !may {
			t.leaveFrom(c, i, why)
			c.report.Single -= len(t.turns) - i
			break
		}
		s := t.turns[i]
		if s.role == "assistant" {
			for i+1 < len(t.turns) && t.turns[i+1].role == "assistant" { // parts of one answer
				i++
				s.content += t.turns[i].content
				s.output = max(s.output, t.turns[i].output)
			}
		}
		if s.role == "assistant" && asked.role != "" {
			body := loose.Object{"messages": loose.Made(before)}
			if s.model.Filled() {
				body["model"] = s.model
			}
			c.name, c.line = asked.place.File, asked.place.Line
			r := &call.Call{
				Path: call.ChatPath, Session: t.name, Body: loose.Marshal(body), Clocks: clocks.Earlier(asked.clocks, 0), Clock: asked.clock, Turn: len(c.records) - first,
				Answer: call.Answer{Tokens: s.output, Counted: s.output > 0}, Place: asked.place,
			}
			if c.made += len(r.Body); s.clocks != nil && asked.clocks != nil {
				r.Took = clocks.Lasting(s.clocks[0].At - asked.clocks[0].At)
			}
			if r.Answer.Tokens == 0 {
				r.Answer.Tokens = max(call.Tokens(len(s.content)), 1)
			}
			c.add(r, r.Judge(c.options.Accept))
		}
		before = append(before, loose.Object{"role": loose.Made(s.role), "content": loose.Made(s.content)})
		if s.role != "assistant" {
			asked = s
		}
	}
}
