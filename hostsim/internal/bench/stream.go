package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// chunk is the part of a streamed chunk, of a chat or a completion, that is read.
type chunk struct {
	Choices []struct {
		Text  string `json:"text"`
		Delta struct {
			Content          string          `json:"content"`
			Reasoning        string          `json:"reasoning"` // of models that think first, by newer servers
			ReasoningContent string          `json:"reasoning_content"`
			ToolCalls        json.RawMessage `json:"tool_calls"`
		} `json:"delta"`
		Finish *string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
		Details          *struct {
			CachedTokens int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"` // null on servers that do not report it, and on older ones if nothing was cached
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// stream is a streamed answer as far as it has been read.
type stream struct {
	text        strings.Builder
	first, last time.Time // when its first and its last part came; zero: none has
}

// readStream reads server-sent events up to the last, and fills in the record. Its error comes with what was read before.
func (r *Record) readStream(body io.Reader, began time.Time) (string, error) {
	var s stream
	lines := bufio.NewReaderSize(body, 1<<16)
	for ended := false; !ended; {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			err = errors.New("stream ended before [DONE]")
		}
		if err != nil {
			return s.text.String(), err
		}
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			if ended, err = r.takeData(&s, bytes.TrimSpace(data)); err != nil {
				return s.text.String(), err
			}
		}
	}
	if s.first.IsZero() {
		return "", errors.New("stream without content")
	}
	r.LatencyMS = milliseconds(time.Since(began))
	r.TTFTMS = milliseconds(s.first.Sub(began))
	if r.OutputTokens > 1 {
		r.TPOTMS = milliseconds(s.last.Sub(s.first)) / float64(r.OutputTokens-1)
	}
	return s.text.String(), nil
}

// takeData reads the data of one server-sent event: an event with a type, or else a chunk of a chat or a completion, which has none.
// last: no more come.
func (r *Record) takeData(s *stream, data []byte) (last bool, err error) {
	if string(data) == "[DONE]" {
		return true, nil
	}
	now := time.Now()
	var e event
	if json.Unmarshal(data, &e) == nil && e.Type != "" {
		if fault := e.fault(); fault != nil {
			return false, fmt.Errorf("event: %s", fault)
		}
		text := e.text()
		s.add(text, text != "", now)
		r.takeUsage(&e)
		return e.last(), nil
	}
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return false, fmt.Errorf("chunk: %w", err)
	}
	if c.Error != nil {
		return false, fmt.Errorf("chunk: %s", c.Error)
	}
	for _, choice := range c.Choices {
		d := &choice.Delta
		text := choice.Text + d.Content
		s.add(text, text+d.Reasoning+d.ReasoningContent != "" || len(d.ToolCalls) > len("null"), now)
		if choice.Finish != nil && s.first.IsZero() {
			// A short answer may have no text: special tokens, or bytes that are no whole character.
			s.first, s.last = now, now
		}
	}
	r.take(&c)
	return false, nil
}

// add takes a part of the answer. any says that there is something in it, be it no text, such as a call of a tool.
func (s *stream) add(text string, any bool, now time.Time) {
	s.text.WriteString(text)
	if !any {
		return
	}
	if s.first.IsZero() {
		s.first = now
	}
	s.last = now
}

// take keeps the usage, which is in the last chunk.
func (r *Record) take(c *chunk) {
	if c.Usage == nil {
		return
	}
	r.PromptTokens, r.OutputTokens = c.Usage.PromptTokens, c.Usage.CompletionTokens
	if c.Usage.Details != nil {
		r.CachedTokens = c.Usage.Details.CachedTokens
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
