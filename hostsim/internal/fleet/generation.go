package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"unsafe"

	"warmroute/hostsim/internal/render"
)

// generation is the answer to one HTTP request while it is generated: a part for each of its prompts.
type generation struct {
	server  *Server
	driver  *driver
	id      string
	model   string // as the request names it
	form    form
	created int64
	wake    chan struct{}
	parts   []generated
}

type generated struct {
	call         *call
	hash         uint64 // of the prompt
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
			g.driver.abort(p.call)
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

// form writes answers as one API has them. A stream is begin, then tokens of the parts as they are generated, then end.
type form interface {
	whole(g *generation) any // once done
	begin(g *generation, to *bytes.Buffer)
	tokens(g *generation, to *bytes.Buffer, part int, text string, last bool)
	end(g *generation, to *bytes.Buffer)
}

// formOf is that of one answer.
func formOf(kind render.API, usageInStream bool) form {
	switch kind {
	case render.Responses:
		return &responseEvents{}
	case render.Messages:
		return messageEvents{}
	}
	return chunks{chat: kind == render.Chat, usage: usageInStream}
}

// reply answers in one JSON object.
func (g *generation) reply(ctx context.Context, w http.ResponseWriter) {
	if g.await(ctx) {
		writeJSON(w, http.StatusOK, g.form.whole(g))
	}
}

// await waits until all is generated; false if the client disconnected before.
func (g *generation) await(ctx context.Context) bool {
	for !g.done() {
		select {
		case <-g.wake:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// stream answers in server-sent events. The header goes out with the first token, as in vLLM.
func (g *generation) stream(ctx context.Context, w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	control := http.NewResponseController(w)
	var buf bytes.Buffer
	begun := false
	for done := false; !done; {
		select {
		case <-g.wake:
		case <-ctx.Done():
			return
		}
		done = g.done() // read before the tokens, so that all tokens of a finished answer are written
		for i := range g.parts {
			text, last := g.parts[i].fresh()
			if text == "" {
				continue
			}
			if !begun {
				begun = true
				g.form.begin(g, &buf)
			}
			g.form.tokens(g, &buf, i, text, last)
		}
		if done {
			g.form.end(g, &buf)
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

// fresh is the text generated since the last call, and whether it is the end.
func (p *generated) fresh() (text string, last bool) {
	n := int(p.call.generated.Load())
	text = p.text[p.sent*render.BytesPerToken : n*render.BytesPerToken]
	p.sent = n
	return text, n*render.BytesPerToken == len(p.text)
}

// event writes a server-sent event with a name.
func event(to *bytes.Buffer, name string, data any) {
	text, _ := json.Marshal(data) // maps of strings and numbers cannot fail
	to.WriteString("event: " + name + "\ndata: ")
	to.Write(text)
	to.WriteString("\n\n")
}

// tokenBytes views tokens as bytes, to hash them.
func tokenBytes(tokens []uint32) []byte {
	if len(tokens) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&tokens[0])), 4*len(tokens))
}
