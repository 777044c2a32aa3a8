package logs

import (
	"cmp"
	"maps"
	"slices"

	"warmroute/hostsim/internal/call"
	"warmroute/hostsim/internal/clocks"
	"warmroute/hostsim/internal/find"
	"warmroute/hostsim/internal/loose"
)

// talk is a conversation of which the log has each message by itself, as the tables of chat programs and the transcripts of agents do.
type talk struct {
	name  string
	order int // of its first message among those of others
	turns []turn
}

// turn is a message, and where it stands.
type turn struct {
	find.Message
	place call.Place
}

// message takes a record that is one message of a conversation; false: it is none.
func (c *collector) message(o loose.Object, outer []clocks.Reading) bool {
	one, ok := find.MessageOf(o, outer)
	if !ok {
		return false
	}
	name := cmp.Or(one.Session, "file "+c.name) + one.Agent
	if c.talks[name] == nil {
		c.talks[name] = &talk{name: name, order: len(c.talks)}
	}
	c.talks[name].turns = append(c.talks[name].turns, turn{one, c.place()})
	return true
}

// talked makes requests of the messages that came one by one: each answer is one's, with all before it. Beside whole requests such
// messages are the same traffic once more.
func (c *collector) talked() {
	asked := false
	for _, t := range slices.SortedFunc(maps.Values(c.talks), func(a, b *talk) int { return a.order - b.order }) {
		switch {
		case len(c.calls) > 0 && !asked:
			t.leave(c, "a message by itself, beside whole requests")
		case !slices.ContainsFunc(t.turns, func(s turn) bool { return s.Role == "assistant" }):
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
		c.report.leave(why, s.place)
	}
}

// ask makes requests of a talk.
func (c *collector) ask(t *talk) {
	if !slices.ContainsFunc(t.turns, func(s turn) bool { return s.Clocks == nil }) {
		slices.SortStableFunc(t.turns, func(a, b turn) int { return cmp.Compare(a.Clocks[0].At, b.Clocks[0].At) })
	}
	c.report.Single += len(t.turns)
	var before []loose.Object
	var asked turn
	first := len(c.calls)
	for i := 0; i < len(t.turns) && !c.full(); i++ {
		if may, why := c.mayMake(); !may {
			t.leaveFrom(c, i, why)
			c.report.Single -= len(t.turns) - i
			break
		}
		s := t.turns[i]
		if s.Role == "assistant" {
			for i+1 < len(t.turns) && t.turns[i+1].Role == "assistant" { // parts of one answer
				i++
				s.Content += t.turns[i].Content
				s.Output = max(s.Output, t.turns[i].Output)
			}
		}
		if s.Role == "assistant" && asked.Role != "" {
			c.name, c.line = asked.place.File, asked.place.Line
			r := &call.Call{
				Path: call.ChatPath, Session: t.name, Body: c.prompt(before, s.Model), Clocks: clocks.Earlier(asked.Clocks, 0), Clock: asked.Clock, Turn: len(c.calls) - first,
				Answer: call.Answer{Tokens: s.Output, Counted: s.Output > 0}, Place: asked.place,
			}
			if s.Clocks != nil && asked.Clocks != nil {
				r.Took = clocks.Lasting(s.Clocks[0].At - asked.Clocks[0].At)
			}
			if r.Answer.Tokens == 0 {
				r.Answer.Tokens = max(call.Tokens(len(s.Content)), 1)
			}
			c.add(r, r.Judge(c.options.Accept))
		}
		before = append(before, loose.Object{"role": loose.Made(s.Role), "content": loose.Made(s.Content)})
		if s.Role != "assistant" {
			asked = s
		}
	}
}
