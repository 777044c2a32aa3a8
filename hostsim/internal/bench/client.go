package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"warmroute/hostsim/internal/workload"
)

// client sends one request after another and measures the times of the answers.
type client struct {
	base    string
	headers http.Header
	timeout time.Duration
	http    *http.Client
}

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

// do sends one turn and returns its record and the answer's text.
func (c *client) do(ctx context.Context, r workload.Request) (Record, string) {
	record := Record{Session: r.Session, Sent: r}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+r.Path, bytes.NewReader(r.Body))
	if err != nil {
		record.fail("request", err)
		return record, ""
	}
	for name, values := range c.headers {
		request.Header[name] = values
	}
	request.Header.Set("Content-Type", "application/json")
	began := time.Now()
	response, err := c.http.Do(request)
	if err != nil {
		record.fail(failure(err, "connect"), err)
		return record, ""
	}
	defer response.Body.Close()
	record.Status = response.StatusCode
	record.Replica = response.Header.Get("X-Replica")
	record.Decision = response.Header.Get(DecisionHeader)
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 512)) // only to quote it
		record.fail(strconv.Itoa(response.StatusCode), errors.New(strings.TrimSpace(string(text))))
		return record, ""
	}
	answer, err := record.readStream(response.Body, began)
	if err != nil {
		record.fail(failure(err, "stream"), err)
	}
	return record, answer
}

func failure(err error, otherwise string) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "timeout"
	}
	return otherwise
}

// readStream reads server-sent events up to [DONE] and fills in the record.
func (r *Record) readStream(body io.Reader, began time.Time) (string, error) {
	var answer strings.Builder
	var first, last time.Time
	lines := bufio.NewReaderSize(body, 1<<16)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			if err == io.EOF {
				err = errors.New("stream ended before [DONE]")
			}
			return answer.String(), err
		}
		data, ok := bytes.CutPrefix(line, []byte("data:"))
		if !ok {
			continue
		}
		data = bytes.TrimSpace(data)
		if string(data) == "[DONE]" {
			break
		}
		now := time.Now()
		seen := func(text string, any bool) {
			if answer.WriteString(text); any {
				if first.IsZero() {
					first = now
				}
				last = now
			}
		}
		var e event
		if json.Unmarshal(data, &e) == nil && e.Type != "" { // else a chunk of a chat or a completion, which has none
			if fault := e.fault(); fault != nil {
				return answer.String(), fmt.Errorf("event: %s", fault)
			}
			seen(e.text(), e.text() != "")
			r.takeUsage(&e)
			if e.last() {
				break
			}
			continue
		}
		var c chunk
		if err := json.Unmarshal(data, &c); err != nil {
			return answer.String(), fmt.Errorf("chunk: %w", err)
		}
		if c.Error != nil {
			return answer.String(), fmt.Errorf("chunk: %s", c.Error)
		}
		for _, choice := range c.Choices {
			d := &choice.Delta
			text := choice.Text + d.Content
			seen(text, text+d.Reasoning+d.ReasoningContent != "" || len(d.ToolCalls) > len("null"))
			if choice.Finish != nil && first.IsZero() {
				// A short answer may have no text: special tokens, or bytes that are no whole character.
				first, last = now, now
			}
		}
		r.take(&c)
	}
	if first.IsZero() {
		return "", errors.New("stream without content")
	}
	r.LatencyMS = milliseconds(time.Since(began))
	r.TTFTMS = milliseconds(first.Sub(began))
	if r.OutputTokens > 1 {
		r.TPOTMS = milliseconds(last.Sub(first)) / float64(r.OutputTokens-1)
	}
	return answer.String(), nil
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
