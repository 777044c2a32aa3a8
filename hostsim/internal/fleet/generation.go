package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"unsafe"
)

// generation is the answer to one HTTP request while it is generated: a part for each of its prompts.
type generation struct {
	server  *Server
	id      string
	chat    bool
	created int64
	wake    chan struct{}
	parts   []generated
}

type generated struct {
	call         *call
	text         string // the whole answer; its tokens become visible as the engine generates them
	promptTokens int
	sent         int // tokens streamed
}

// usage is OpenAI's usage object. vLLM has prompt_tokens_details under --enable-prompt-tokens-details;
// older versions left it null where no token was cached, newer ones say 0, as here.
type usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	TotalTokens      int `json:"total_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	Details          struct {
		CachedTokens int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

func (g *generation) abort() {
	for _, p := range g.parts {
		if !p.call.done.Load() {
			g.server.driver.abort(p.call)
		}
	}
}

func (g *generation) done() bool {
	for _, p := range g.parts {
		if !p.call.done.Load() {
			return false
		}
	}
	return true
}

// usage is valid once done.
func (g *generation) usage() usage {
	var u usage
	for _, p := range g.parts {
		u.PromptTokens += p.promptTokens
		u.CompletionTokens += p.call.record.Generated
		u.Details.CachedTokens += p.call.record.CachedTokens
	}
	u.TotalTokens = u.PromptTokens + u.CompletionTokens
	return u
}

// reply answers in one JSON object.
func (g *generation) reply(ctx context.Context, w http.ResponseWriter) {
	for !g.done() {
		select {
		case <-g.wake:
		case <-ctx.Done():
			return
		}
	}
	choices := make([]map[string]any, len(g.parts))
	for i, p := range g.parts {
		choices[i] = map[string]any{"index": i, "logprobs": nil, "finish_reason": "length", "stop_reason": nil}
		if g.chat {
			choices[i]["message"] = map[string]any{"role": "assistant", "content": p.text, "tool_calls": []any{}}
		} else {
			choices[i]["text"] = p.text
		}
	}
	object := "text_completion"
	if g.chat {
		object = "chat.completion"
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"id": g.id, "object": object, "created": g.created, "model": g.server.model, "choices": choices, "usage": g.usage(),
	})
}

// stream answers in server-sent events: a chunk for each step's tokens, the usage if asked for, [DONE].
// The header goes out with the first token, as in vLLM.
func (g *generation) stream(ctx context.Context, w http.ResponseWriter, includeUsage bool) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	control := http.NewResponseController(w)
	var buf bytes.Buffer
	for done := false; !done; {
		select {
		case <-g.wake:
		case <-ctx.Done():
			return
		}
		done = g.done() // read before the tokens, so that all tokens of a finished answer are written
		for i := range g.parts {
			g.chunks(&buf, i)
		}
		if done {
			g.end(&buf, includeUsage)
		}
		if buf.Len() == 0 {
			continue
		}
		if _, err := w.Write(buf.Bytes()); err != nil {
			return
		}
		if control.Flush() != nil {
			return
		}
		buf.Reset()
	}
}

// chunks writes what part i has generated since the last call. The syllables of an answer need no escaping.
func (g *generation) chunks(buf *bytes.Buffer, i int) {
	p := &g.parts[i]
	n := int(p.call.generated.Load())
	if n == p.sent {
		return
	}
	first := p.sent == 0
	text := p.text[p.sent*bytesPerToken : n*bytesPerToken]
	p.sent = n
	finish := "null"
	if n*bytesPerToken == len(p.text) {
		finish = `"length"`
	}
	if !g.chat {
		g.event(buf, fmt.Sprintf(`{"index":%d,"text":"%s","logprobs":null,"finish_reason":%s,"stop_reason":null}`, i, text, finish))
		return
	}
	if first {
		g.event(buf, fmt.Sprintf(`{"index":%d,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}`, i))
	}
	g.event(buf, fmt.Sprintf(`{"index":%d,"delta":{"content":"%s"},"logprobs":null,"finish_reason":%s}`, i, text, finish))
}

// end writes the usage chunk, whose choices are empty, and the end mark.
func (g *generation) end(buf *bytes.Buffer, includeUsage bool) {
	if includeUsage {
		u, _ := json.Marshal(g.usage()) // numbers cannot fail
		g.event(buf, "", `,"usage":`, string(u))
	}
	buf.WriteString("data: [DONE]\n\n")
}

// event writes one chunk with that choice, and more members after it.
func (g *generation) event(buf *bytes.Buffer, choice string, more ...string) {
	object := "text_completion"
	if g.chat {
		object = "chat.completion.chunk"
	}
	model, _ := json.Marshal(g.server.model) // a string cannot fail
	fmt.Fprintf(buf, `data: {"id":"%s","object":"%s","created":%d,"model":%s,"choices":[%s]`, g.id, object, g.created, model, choice)
	for _, m := range more {
		buf.WriteString(m)
	}
	buf.WriteString("}\n\n")
}

// tokenBytes views tokens as bytes, to hash them.
func tokenBytes(tokens []uint32) []byte {
	if len(tokens) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&tokens[0])), 4*len(tokens))
}
