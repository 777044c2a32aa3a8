package trace

import (
	"bytes"
	"encoding/json"

	"warmroute/hostsim/internal/rawjson"
)

// Line is a line of OpenAI JSONL, for writing traces.
type Line struct {
	T            float64         `json:"t"` // s since the trace began
	Session      string          `json:"session,omitempty"`
	Think        float64         `json:"think,omitempty"` // s from the end of the session's answer before
	Path         string          `json:"path,omitempty"`  // by default what the body's members say
	Body         json.RawMessage `json:"body"`
	OutputTokens int             `json:"output_tokens"`
}

// readLine is a Line that is read: what it must have may be missing.
type readLine struct {
	Line
	T            *float64 `json:"t"`
	OutputTokens *int     `json:"output_tokens"`
}

// unmarshal is json.Unmarshal, without a second look at the body of a line that is as others are.
func (v *readLine) unmarshal(line []byte) error {
	if line = bytes.TrimSpace(line); len(line) == 0 || line[0] != '{' || !rawjson.Valid(line) {
		return json.Unmarshal(line, v)
	}
	var body []byte
	rest := []byte{'{'}
	rawjson.Each(line, func(name, part []byte) {
		if body == nil && string(name) == `"body"` {
			body = part
			return
		}
		if len(rest) > 1 {
			rest = append(rest, ',')
		}
		rest = append(append(append(rest, name...), ':'), part...)
	})
	if json.Unmarshal(append(rest, '}'), v) != nil || v.Body != nil { // it is named twice, or with capitals
		*v = readLine{}
		return json.Unmarshal(line, v)
	}
	v.Body = bytes.Clone(body)
	return nil
}

// Append appends the line as json.Encoder writes it, with its end. The body must be JSON, or nil.
func (l *Line) Append(dst []byte) ([]byte, error) {
	var head bytes.Buffer
	enc := json.NewEncoder(&head)
	enc.SetEscapeHTML(false)
	short := *l
	short.Body = nil
	err := enc.Encode(&short)
	before, after, _ := bytes.Cut(head.Bytes(), []byte(`"body":null,"output_tokens":`))
	dst = append(append(dst, before...), `"body":`...)
	if l.Body == nil {
		dst = append(dst, "null"...)
	} else {
		dst = rawjson.Compact(dst, l.Body, false)
	}
	return append(append(dst, `,"output_tokens":`...), after...), err
}
