package bench

import (
	"bytes"
	"encoding/json"
)

// event is the part of a streamed event of the Responses API or of Anthropic's messages that is read.
type event struct {
	Type    string          `json:"type"`
	Delta   json.RawMessage `json:"delta"`
	Usage   *usage          `json:"usage"` // of message_delta
	Message struct {
		Usage *usage `json:"usage"`
	} `json:"message"` // of message_start
	Response struct {
		Usage *usage          `json:"usage"`
		Error json.RawMessage `json:"error"`
	} `json:"response"`
	Error json.RawMessage `json:"error"`
}

type usage struct {
	Input     int `json:"input_tokens"`
	Output    int `json:"output_tokens"`
	CacheRead int `json:"cache_read_input_tokens"` // Anthropic's, beside Input
	Details   *struct {
		Cached int `json:"cached_tokens"`
	} `json:"input_tokens_details"` // of responses, within Input
}

// text is what of the answer an event has: its characters, or of what is no text, such as a call's arguments, anything.
func (e *event) text() string {
	var s string
	if json.Unmarshal(e.Delta, &s) == nil {
		return s
	}
	var part struct {
		Text     string `json:"text"`
		Thinking string `json:"thinking"`
		JSON     string `json:"partial_json"`
	}
	_ = json.Unmarshal(e.Delta, &part)
	return part.Text + part.Thinking + part.JSON
}

// last says whether the stream ends with this event.
func (e *event) last() bool {
	switch e.Type {
	case "message_stop", "response.completed", "response.incomplete", "response.failed":
		return true
	}
	return false
}

// fault is the error that an event has; nil: none.
func (e *event) fault() json.RawMessage {
	for _, raw := range []json.RawMessage{e.Error, e.Response.Error} {
		if raw = bytes.TrimSpace(raw); len(raw) > 0 && string(raw) != "null" {
			return raw
		}
	}
	return nil
}

// takeUsage keeps what an event says of tokens.
func (r *Record) takeUsage(e *event) {
	for _, u := range []*usage{e.Usage, e.Message.Usage, e.Response.Usage} {
		if u == nil {
			continue
		}
		if u.Input+u.CacheRead > 0 {
			r.PromptTokens, r.CachedTokens = u.Input+u.CacheRead, u.CacheRead
			if u.Details != nil {
				r.CachedTokens = u.Details.Cached
			}
		}
		r.OutputTokens = max(r.OutputTokens, u.Output)
	}
}
