package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// openAI reads {"t":…,"body":{…},"output_tokens":…} lines; times must not decrease within a session. A line
// without a session is a session of its own.
func (l *loader) openAI() error {
	t := l.trace
	var sessions chains
	names := map[string]int{}
	return l.lines(func(line []byte) (bool, error) {
		var v readLine
		if err := v.unmarshal(line); err != nil {
			return false, err
		}
		if err := checkSeconds("t", v.T); err != nil {
			return false, err
		}
		if err := checkSeconds("think", &v.Think); err != nil {
			return false, err
		}
		if err := checkTokens("output_tokens", v.OutputTokens, 0); err != nil {
			return false, err
		}
		if len(v.Body) == 0 || v.Body[0] != '{' {
			return false, wrong("body", "missing, or not an object")
		}
		r := Request{At: ns(*v.T), Think: ns(v.Think), OutputTokens: max(1, *v.OutputTokens), Path: v.Path, Body: v.Body}
		if r.Path == "" {
			if r.Path = pathOf(v.Body); r.Path == "" {
				return false, wrong("body", "has neither messages, prompt nor input, and the line no path")
			}
		}
		session, known := names[v.Session]
		if !known || v.Session == "" {
			session = -1
		} else if t.Requests[sessions.last[session]].At > r.At {
			return false, wrong("t", "%v is before the session's last", *v.T)
		}
		r.Session, r.After = sessions.follow(session, len(t.Requests))
		names[v.Session] = r.Session
		t.Requests = append(t.Requests, r)
		t.Sessions = len(sessions.last)
		return l.full(len(t.Requests)), nil
	})
}

// pathOf finds the API path from the body's members.
func pathOf(body []byte) string {
	var members struct {
		Messages, Prompt, Input json.RawMessage
	}
	if json.Unmarshal(body, &members) != nil {
		return ""
	}
	switch {
	case members.Messages != nil:
		return "/v1/chat/completions"
	case members.Prompt != nil:
		return "/v1/completions"
	case members.Input != nil:
		return "/v1/responses"
	}
	return ""
}

// lmbench reads one JSON array of {"input":text,"output_length":n}, n a number or its digits in quotes, as
// chats of one turn. LMBenchmark's rounds repeat the text of earlier rounds without naming them, so there are no sessions.
func (l *loader) lmbench() error {
	t := l.trace
	data, err := io.ReadAll(io.LimitReader(l.in, 1<<30))
	if err != nil {
		return fmt.Errorf("%s: %w", l.name, err)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	at := func() int { return 1 + bytes.Count(data[:dec.InputOffset()], []byte("\n")) }
	if open, err := dec.Token(); err != nil || open != json.Delim('[') {
		return &LineError{l.name, 1, "", errors.New("not a JSON array")}
	}
	for left := l.options.Skip; dec.More() && !l.full(len(t.Requests)); left-- {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			l.line = at()
			return &LineError{l.name, l.line, "", err} // nothing after it can be told apart
		}
		if left > 0 {
			continue
		}
		if err := l.lmbenchEntry(raw); err != nil {
			l.line = at()
			if err = l.bad(err); err != nil {
				return err
			}
		}
	}
	t.Sessions = len(t.Requests)
	return nil
}

func (l *loader) lmbenchEntry(raw []byte) error {
	var v struct {
		Input  *string     `json:"input"`
		Output json.Number `json:"output_length"`
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return err
	}
	if v.Input == nil || *v.Input == "" {
		return wrong("input", "missing or empty")
	}
	n, err := strconv.Atoi(v.Output.String())
	if err != nil {
		return wrong("output_length", "%q is not a whole number", v.Output)
	}
	if err := checkTokens("output_length", &n, 0); err != nil {
		return err
	}
	body, err := json.Marshal(map[string]any{
		"model": l.options.Model, "messages": []any{map[string]string{"role": "user", "content": *v.Input}},
		"max_tokens": max(1, n), "stream": true, "stream_options": map[string]bool{"include_usage": true},
	})
	if err != nil {
		return err
	}
	i := len(l.trace.Requests)
	l.trace.Requests = append(l.trace.Requests, Request{
		At: int64(i) * l.options.Gap.Nanoseconds(), Session: i, After: -1, OutputTokens: max(1, n),
		Path: "/v1/chat/completions", Body: body,
	})
	return nil
}
