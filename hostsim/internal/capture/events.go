package capture

import (
	"maps"
	"strings"

	"warmroute/hostsim/internal/loose"
)

// Events of OpenTelemetry before 1.37 have one message each: gen_ai.user.message and others, and gen_ai.choice for the answer (semantic
// conventions 1.28 to 1.36, "Generative AI events"). Where a span has its own, as Azure's SDKs (gen_ai.event.content), Strands Agents (content)
// and Pydantic AI (events) write them, its call is known.

// gathered are the messages and the answer in the events of a span that is a call of a model, as attributes of 1.37; nil: it has none.
func gathered(events []*loose.Value, a loose.Object) loose.Object {
	if !a["gen_ai.operation.name"].Filled() && !a["gen_ai.request.model"].Filled() { // a step of an agent, which has those of the call below it
		return nil
	}
	var messages, answers []loose.Object
	for _, item := range events {
		event := item.Object()
		said := event
		name := loose.FirstOf(event["name"], event["event.name"]).Text()
		if inner := attributes(event["attributes"]); inner != nil {
			said = inner
		} else if inner := event["attributes"].Object(); inner != nil {
			said = inner
		}
		if content := said["gen_ai.event.content"].Object(); content != nil {
			said = content
		}
		if name == "gen_ai.choice" {
			message := said["message"]
			if inner := message.Object(); inner != nil {
				message = inner["content"]
			}
			answers = append(answers, loose.Object{"role": loose.Made("assistant"), "content": plainContent(message)})
			continue
		}
		role, of := strings.CutSuffix(strings.TrimPrefix(name, "gen_ai."), ".message")
		if !of || !strings.HasPrefix(name, "gen_ai.") {
			continue
		}
		m := loose.Object{"role": loose.Made(role)}
		if content := said["content"]; content.Filled() {
			m["content"] = plainContent(content)
		}
		for _, name := range []string{"tool_calls", "tool_call_id"} {
			if v := said[name].Unquote(); v.Filled() {
				m[name] = v
			}
		}
		messages = append(messages, m)
	}
	out := loose.Object{}
	for name, list := range map[string][]loose.Object{"gen_ai.input.messages": messages, "gen_ai.output.messages": answers} {
		if list != nil && !a[name].Filled() {
			out[name] = loose.Made(list)
		}
	}
	return out
}

// merged is a with more's members; a itself, if more has none.
func merged(a, more loose.Object) loose.Object {
	if len(more) == 0 {
		return a
	}
	out := a.Without()
	maps.Copy(out, more)
	return out
}

// plainContent is a message's content; of a list of texts, such as Bedrock's [{"text": …}], these.
func plainContent(content *loose.Value) *loose.Value {
	items := content.Unquote().Items()
	text := ""
	for _, item := range items {
		part := item.Object()["text"]
		if !part.Filled() {
			return loose.Made(content.Words())
		}
		text += part.Text()
	}
	if items == nil {
		return loose.Made(content.Words())
	}
	return loose.Made(text)
}
