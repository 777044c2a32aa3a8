package fleet

import (
	"bytes"
	"net/http"

	"warmroute/hostsim/internal/render"
)

// messageEvents is the form of Anthropic's messages: one block of text, cut off by max_tokens. As in vLLM, what was cached
// is told in the last usage of a stream.
type messageEvents struct{}

func (messageEvents) whole(g *generation) any {
	m := messageOf(g, []any{object{"type": "text", "text": g.parts[0].text}}, messageUsage(g))
	m["stop_reason"] = "max_tokens"
	return m
}

func messageOf(g *generation, content []any, usage object) object {
	return object{
		"id": g.id, "type": "message", "role": "assistant", "model": g.model, "content": content,
		"stop_reason": nil, "stop_sequence": nil, "usage": usage,
	}
}

// messageUsage is valid once done. Input tokens are those that were not cached.
func messageUsage(g *generation) object {
	u := g.usage()
	return object{
		"input_tokens": u.PromptTokens - u.Details.CachedTokens, "cache_read_input_tokens": u.Details.CachedTokens,
		"output_tokens": u.CompletionTokens,
	}
}

func (messageEvents) begin(g *generation, to *bytes.Buffer) {
	usage := object{"input_tokens": g.parts[0].promptTokens, "output_tokens": 0}
	event(to, "message_start", object{"type": "message_start", "message": messageOf(g, []any{}, usage)})
	event(to, "content_block_start", object{"type": "content_block_start", "index": 0, "content_block": object{"type": "text", "text": ""}})
}

func (messageEvents) tokens(_ *generation, to *bytes.Buffer, _ int, text string, _ bool) {
	event(to, "content_block_delta", object{"type": "content_block_delta", "index": 0, "delta": object{"type": "text_delta", "text": text}})
}

func (messageEvents) end(g *generation, to *bytes.Buffer) {
	event(to, "content_block_stop", object{"type": "content_block_stop", "index": 0})
	event(to, "message_delta", object{"type": "message_delta", "delta": object{"stop_reason": "max_tokens", "stop_sequence": nil}, "usage": messageUsage(g)})
	event(to, "message_stop", object{"type": "message_stop"})
}

// handleCountTokens is POST /v1/messages/count_tokens.
func (s *Server) handleCountTokens(w http.ResponseWriter, r *http.Request) {
	data, bad := readBody(w, r)
	if bad == nil {
		var prompts [][]uint32
		if _, prompts, bad = render.Parse(data, render.Counting, s.model, s.adapters); bad == nil {
			writeJSON(w, http.StatusOK, object{"input_tokens": len(prompts[0])})
			return
		}
	}
	writeErrorAs(w, bad, render.Messages)
}
