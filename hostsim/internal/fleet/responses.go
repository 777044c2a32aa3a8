package fleet

import (
	"bytes"

	"warmroute/hostsim/internal/render"
)

type object = map[string]any

// responseEvents is the form of OpenAI's responses: one message of one text, cut off by max_output_tokens. As in vLLM, which
// numbers its events and ends each stream with response.completed.
type responseEvents struct {
	number int // of the next event
}

func (e *responseEvents) whole(g *generation) any {
	r := e.response(g, "incomplete", []any{e.message(g, "incomplete", g.parts[0].text)})
	u := g.usage()
	r["usage"] = object{
		"input_tokens": u.PromptTokens, "output_tokens": u.CompletionTokens, "total_tokens": u.TotalTokens,
		"input_tokens_details":  object{"cached_tokens": u.Details.CachedTokens},
		"output_tokens_details": object{"reasoning_tokens": 0},
	}
	r["incomplete_details"] = object{"reason": "max_output_tokens"}
	return r
}

// response has the members that clients' libraries ask for.
func (e *responseEvents) response(g *generation, status string, output []any) object {
	return object{
		"id": g.id, "object": "response", "created_at": g.created, "model": g.model, "status": status, "output": output,
		"error": nil, "incomplete_details": nil, "instructions": nil, "metadata": object{}, "parallel_tool_calls": true,
		"previous_response_id": nil, "temperature": 1, "tool_choice": "auto", "tools": []any{}, "top_p": 1, "background": false,
		"max_output_tokens": len(g.parts[0].text) / render.BytesPerToken, "service_tier": "auto", "truncation": "disabled", "usage": nil,
	}
}

func (e *responseEvents) message(g *generation, status, text string) object {
	m := object{"id": "msg_" + g.id, "type": "message", "role": "assistant", "status": status, "content": []any{}}
	if text != "" {
		m["content"] = []any{e.text(text)}
	}
	return m
}

func (e *responseEvents) text(text string) object {
	return object{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}
}

func (e *responseEvents) begin(g *generation, to *bytes.Buffer) {
	for _, name := range []string{"response.created", "response.in_progress"} {
		e.event(to, name, object{"response": e.response(g, "in_progress", []any{})})
	}
	e.event(to, "response.output_item.added", object{"output_index": 0, "item": e.message(g, "in_progress", "")})
	e.event(to, "response.content_part.added", e.at(g, object{"part": e.text("")}))
}

func (e *responseEvents) tokens(g *generation, to *bytes.Buffer, _ int, text string, _ bool) {
	e.event(to, "response.output_text.delta", e.at(g, object{"delta": text, "logprobs": []any{}}))
}

func (e *responseEvents) end(g *generation, to *bytes.Buffer) {
	text := g.parts[0].text
	e.event(to, "response.output_text.done", e.at(g, object{"text": text, "logprobs": []any{}}))
	e.event(to, "response.content_part.done", e.at(g, object{"part": e.text(text)}))
	e.event(to, "response.output_item.done", object{"output_index": 0, "item": e.message(g, "incomplete", text)})
	e.event(to, "response.completed", object{"response": e.whole(g)})
}

// at says of which text an event is.
func (e *responseEvents) at(g *generation, members object) object {
	members["item_id"], members["output_index"], members["content_index"] = "msg_"+g.id, 0, 0
	return members
}

func (e *responseEvents) event(to *bytes.Buffer, name string, members object) {
	members["type"], members["sequence_number"] = name, e.number
	e.number++
	event(to, name, members)
}
