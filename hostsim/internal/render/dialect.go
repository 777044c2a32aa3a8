package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"warmroute/hostsim/internal/rawjson"
)

// API is one of the forms in which prompts come.
type API uint8

const (
	Completions API = iota // OpenAI's completions
	Chat                   // OpenAI's chat completions
	Responses              // OpenAI's responses
	Messages               // Anthropic's messages
	Counting               // the same, to be counted
	Embeddings             // OpenAI's embeddings
)

// apiOf is the form that a path takes.
func apiOf(path string) API {
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		return Chat
	case strings.HasSuffix(path, "/responses"):
		return Responses
	case strings.HasSuffix(path, "/messages"):
		return Messages
	}
	return Completions
}

// turns gives the turns of a chat in any of its forms.
func (b *Body) turns(kind API) ([]message, error) {
	turns, err := b.Messages, error(nil)
	switch kind {
	case Responses:
		turns, err = b.responseTurns()
	case Messages, Counting:
		turns, err = b.anthropicTurns()
	}
	for i := range turns {
		if turns[i].Role == "system" {
			turns[i].Content = withoutLines(turns[i].Content)
		}
	}
	return turns, err
}

// item is one of a responses request's input.
type item struct {
	message
	Type   string          `json:"type"`
	CallID string          `json:"call_id"`
	Output json.RawMessage `json:"output"`
}

// responseTurns are those of a responses request: instructions, then input, a text or a list of items.
func (b *Body) responseTurns() ([]message, error) {
	var out []message
	if !Empty(b.Instructions) {
		out = append(out, message{Role: "system", Content: b.Instructions})
	}
	if len(b.Input) > 0 && (b.Input[0] == '"' || b.Input[0] == 'n') {
		return append(out, message{Role: "user", Content: b.Input}), nil
	}
	items, usual := quickList[item](b.Input)
	if !usual && json.Unmarshal(b.Input, &items) != nil || len(items) == 0 {
		return nil, errors.New("input: Input should be a valid string or a list of items")
	}
	raw := rawItems(b.Input)
	for i, item := range items {
		m := item.message
		switch {
		case item.Type == "function_call_output":
			m = message{Role: "tool", Content: item.Output, ToolCallID: item.CallID}
		case m.Role == "": // a function call, reasoning and others: the assistant's
			m = message{Role: "assistant", ToolCalls: raw[i]}
		}
		out = append(out, m)
	}
	return out, nil
}

// anthropicTurns are those of a messages request: system, then the turns, whose parts are made those of a chat.
func (b *Body) anthropicTurns() ([]message, error) {
	var out []message
	if system := withoutBlocks(b.System); !Empty(system) && string(system) != "[]" {
		out = append(out, message{Role: "system", Content: system})
	}
	for i, m := range b.Messages {
		if m.Role == "system" {
			m.Content = withoutBlocks(m.Content)
			if _, is := billed(m.Content); is || string(m.Content) == "[]" {
				continue
			}
		}
		var parts []anthropicPart
		if json.Unmarshal(m.Content, &parts) != nil { // a text
			out = append(out, m)
			continue
		}
		raw := rawItems(m.Content)
		var kept []part
		var calls, results []json.RawMessage
		for j, p := range parts {
			switch p.Type {
			case "text":
				kept = append(kept, part{Type: "text", Text: p.Text})
			case "image", "document":
				kept = append(kept, part{Type: "image_url", ImageURL: p.Source})
			case "tool_result":
				results = append(results, raw[j])
			case "redacted_thinking": // vLLM leaves it out
			case "":
				return nil, fmt.Errorf("messages[%d].content[%d].type: Field required", i, j)
			default: // tool_use, thinking
				calls = append(calls, raw[j])
			}
		}
		for _, r := range results { // they come before what the user says
			out = append(out, message{Role: "tool", ToolCalls: r})
		}
		content, err := json.Marshal(kept)
		if err != nil {
			return nil, err
		}
		turn := message{Role: m.Role, Content: content}
		if len(calls) > 0 {
			turn.ToolCalls = joined(calls)
		}
		if len(kept) > 0 || len(calls) > 0 {
			out = append(out, turn)
		}
	}
	return out, nil
}

type anthropicPart struct {
	Type   string          `json:"type"`
	Text   string          `json:"text"`
	Source json.RawMessage `json:"source"`
}

func rawItems(raw json.RawMessage) (items []json.RawMessage) {
	if len(raw) > 0 && raw[0] == '[' {
		rawjson.Each(raw, func(_, item []byte) { items = append(items, item) })
	}
	return items
}

func joined(items []json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, item := range items {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(item)
	}
	b.WriteByte(']')
	return b.Bytes()
}
