package calibrate

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"warmroute/hostsim/internal/fetch"
)

// Server is a vLLM server over HTTP.
type Server struct {
	URL     string // http://host:port
	Model   string
	Timeout time.Duration // of one request
}

// Page reads /metrics.
func (s *Server) Page(ctx context.Context) (*Page, error) {
	text, err := fetch.Page(ctx, strings.TrimSuffix(s.URL, "/")+"/metrics", s.Timeout)
	if err != nil {
		return nil, err
	}
	return ReadPage(bytes.NewReader(text))
}

// Pages reads /metrics twice, during apart, and says how many seconds it was.
func (s *Server) Pages(ctx context.Context, during time.Duration) (before, after *Page, seconds float64, err error) {
	if before, err = s.Page(ctx); err != nil {
		return nil, nil, 0, err
	}
	began := time.Now()
	select {
	case <-ctx.Done():
		return nil, nil, 0, ctx.Err()
	case <-time.After(during):
	}
	after, err = s.Page(ctx)
	return before, after, time.Since(began).Seconds(), err
}

// Idle is an error where the server has requests, or no page that says so.
func (s *Server) Idle(ctx context.Context) error {
	page, err := s.Page(ctx)
	if err != nil {
		return fmt.Errorf("%w; probing needs /metrics, to see that the server is idle", err)
	}
	if n := page.Busy(); n > 0 {
		return fmt.Errorf("%s has %d requests: a server must be idle to be probed; take it out of the pool, or use calibrate pages", s.URL, n)
	}
	return nil
}

// Busy is the number of requests that the server runs or keeps waiting, by its page.
func (p *Page) Busy() int {
	return int(p.values["num_requests_running"] + p.values["num_requests_waiting"])
}

// Send is a Target: a completion, streamed, that goes on to its full length.
func (s *Server) Send(ctx context.Context, prompt Prompt, answer int) (t Times, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	form := map[string]any{"model": s.Model, "prompt": prompt.Text, "max_tokens": answer, "ignore_eos": true, "temperature": 0,
		"stream": true, "stream_options": map[string]any{"include_usage": true}}
	if len(prompt.IDs) > 0 {
		form["prompt"] = prompt.IDs
	}
	body, err := json.Marshal(form)
	if err != nil {
		return Times{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(s.URL, "/")+"/v1/completions", bytes.NewReader(body))
	if err != nil {
		return Times{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	began := time.Now()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return Times{}, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 512)) // only to quote it
		return Times{}, fmt.Errorf("status %d: %s", response.StatusCode, bytes.TrimSpace(text))
	}
	lines := bufio.NewReaderSize(response.Body, 1<<16)
	for {
		text, err := lines.ReadString('\n')
		if err != nil {
			return Times{}, fmt.Errorf("the stream ended before [DONE]: %w", err)
		}
		data, ok := strings.CutPrefix(text, "data:")
		if !ok {
			continue
		}
		if strings.TrimSpace(data) == "[DONE]" {
			break
		}
		now := time.Since(began).Seconds()
		var chunk struct {
			Choices []json.RawMessage `json:"choices"`
			Usage   struct {
				Prompt int `json:"prompt_tokens"`
			} `json:"usage"`
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			return Times{}, fmt.Errorf("the stream has %.100q: %w", data, err)
		}
		t.Tokens = max(t.Tokens, chunk.Usage.Prompt)
		if len(chunk.Choices) == 0 {
			continue // usage, at the end
		}
		if t.Last = now; t.First == 0 {
			t.First = now
		}
	}
	if t.First == 0 {
		return Times{}, errors.New("the stream was empty")
	}
	return t, nil
}
