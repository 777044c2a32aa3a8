package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"warmroute/hostsim/internal/rawjson"
)

// message is one turn of a chat as OpenAI's API has it.
type message struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCalls  json.RawMessage `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
}

// part is one piece of a turn's content.
type part struct {
	Type       string          `json:"type"`
	Text       string          `json:"text"`
	ImageURL   json.RawMessage `json:"image_url,omitempty"`
	InputAudio json.RawMessage `json:"input_audio,omitempty"`
	AudioURL   json.RawMessage `json:"audio_url,omitempty"`
	VideoURL   json.RawMessage `json:"video_url,omitempty"`
}

// mediaTokens is the number of tokens of an image or a sound. Models differ widely; this is Qwen2.5-VL's of a picture of a megapixel, one
// for 784 pixels.
const mediaTokens = 1276

// renderChat renders a chat as most templates do: the system prompt, tools, then the other turns in order, then the marker of the assistant's
// turn.
func renderChat(tools json.RawMessage, turns []message) ([]uint32, error) {
	size := len(tools)
	for i := range turns {
		size += len(turns[i].Content) + len(turns[i].ToolCalls) + 8*BytesPerToken
	}
	out := append(make([]uint32, 0, size/BytesPerToken+8), tokenBegin)
	tooled := Empty(tools)
	for i, m := range turns {
		if !tooled && (i > 0 || m.Role != "system" && m.Role != "developer") {
			tooled = true
			out = appendTools(out, tools)
		}
		if m.Role == "" {
			return nil, fmt.Errorf("messages[%d].role: Field required", i)
		}
		out = append(out, tokenRole)
		out = AppendText(out, m.Role)
		out = append(out, tokenBody)
		var err error
		if out, err = appendContent(out, m.Content); err != nil {
			return nil, fmt.Errorf("messages[%d].content: %w", i, err)
		}
		if !Empty(m.ToolCalls) {
			out = appendJSON(out, m.ToolCalls)
		}
		out = AppendText(out, m.ToolCallID)
		out = append(out, tokenEnd)
	}
	if !tooled {
		out = appendTools(out, tools)
	}
	out = append(out, tokenRole)
	out = AppendText(out, "assistant")
	return append(out, tokenBody), nil
}

func appendTools(out []uint32, tools json.RawMessage) []uint32 {
	out = append(out, tokenRole)
	out = AppendText(out, "tools")
	out = append(out, tokenBody)
	return append(appendJSON(out, tools), tokenEnd)
}

// Empty says whether a member is missing, or null.
func Empty(raw json.RawMessage) bool { return len(raw) == 0 || bytes.Equal(raw, []byte("null")) }

// appendJSON appends the tokens of JSON text without insignificant white space.
func appendJSON(dst []uint32, raw json.RawMessage) []uint32 {
	return appendBytes(dst, rawjson.Compact(nil, raw, false))
}

func appendContent(dst []uint32, raw json.RawMessage) ([]uint32, error) {
	if Empty(raw) {
		return dst, nil
	}
	if raw[0] == '"' {
		return appendBytes(dst, rawjson.Text(raw)), nil
	}
	parts, usual := quickList[part](raw)
	if !usual && json.Unmarshal(raw, &parts) != nil {
		//lint:ignore ST1005 vLLM's own words
		return nil, errors.New("Input should be a valid string or a list of parts")
	}
	var run []byte // adjacent texts are one text to the template
	for _, p := range parts {
		if p.Type == "text" || p.Type == "input_text" || p.Type == "output_text" {
			run = append(run, p.Text...)
			continue
		}
		media := p.media()
		if Empty(media) {
			//lint:ignore ST1005 vLLM's own words
			return nil, fmt.Errorf("Unknown part type: %s", p.Type)
		}
		dst = AppendText(dst, string(run))
		run = run[:0]
		dst = append(dst, tokenMedia)
		id := uint32(xxhash.Sum64(media)) &^ 0xFF000000
		for range mediaTokens {
			dst = append(dst, id)
		}
	}
	return AppendText(dst, string(run)), nil
}

func (p *part) media() json.RawMessage {
	for _, m := range []json.RawMessage{p.ImageURL, p.InputAudio, p.AudioURL, p.VideoURL} {
		if !Empty(m) {
			return m
		}
	}
	return nil
}
