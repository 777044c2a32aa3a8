package fleet

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// chunks is the form of OpenAI's completions and chat completions. A stream is a chunk for each step's tokens, the usage
// if it was asked for, and [DONE].
type chunks struct {
	chat, usage bool
}

func (c chunks) object(stream bool) string {
	switch {
	case !c.chat:
		return "text_completion"
	case stream:
		return "chat.completion.chunk"
	}
	return "chat.completion"
}

func (c chunks) whole(g *generation) any {
	choices := make([]map[string]any, len(g.parts))
	for i, p := range g.parts {
		choices[i] = map[string]any{"index": i, "logprobs": nil, "finish_reason": "length", "stop_reason": nil}
		if c.chat {
			choices[i]["message"] = map[string]any{"role": "assistant", "content": p.text, "tool_calls": []any{}}
		} else {
			choices[i]["text"] = p.text
		}
	}
	return map[string]any{
		"id": g.id, "object": c.object(false), "created": g.created, "model": g.model, "choices": choices, "usage": g.usage(),
	}
}

func (c chunks) begin(g *generation, to *bytes.Buffer) {
	if !c.chat {
		return
	}
	for i := range g.parts {
		c.chunk(g, to, fmt.Sprintf(`{"index":%d,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}`, i))
	}
}

// tokens writes a part's new text; the syllables of an answer need no escaping.
func (c chunks) tokens(g *generation, to *bytes.Buffer, part int, text string, last bool) {
	finish := "null"
	if last {
		finish = `"length"`
	}
	if c.chat {
		c.chunk(g, to, fmt.Sprintf(`{"index":%d,"delta":{"content":"%s"},"logprobs":null,"finish_reason":%s}`, part, text, finish))
	} else {
		c.chunk(g, to, fmt.Sprintf(`{"index":%d,"text":"%s","logprobs":null,"finish_reason":%s,"stop_reason":null}`, part, text, finish))
	}
}

// end writes the usage chunk, whose choices are empty, and the end mark.
func (c chunks) end(g *generation, to *bytes.Buffer) {
	if c.usage {
		u, _ := json.Marshal(g.usage()) // numbers cannot fail
		c.chunk(g, to, "", `,"usage":`, string(u))
	}
	to.WriteString("data: [DONE]\n\n")
}

// chunk writes one with that choice, and more members after it.
func (c chunks) chunk(g *generation, to *bytes.Buffer, choice string, more ...string) {
	model, _ := json.Marshal(g.model) // a string cannot fail
	fmt.Fprintf(to, `data: {"id":"%s","object":"%s","created":%d,"model":%s,"choices":[%s]`, g.id, c.object(true), g.created, model, choice)
	for _, m := range more {
		to.WriteString(m)
	}
	to.WriteString("}\n\n")
}
