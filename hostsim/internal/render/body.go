// Package render makes of a request's body, in any of the APIs that vLLM serves, the tokens that a server computes: as a chat template lays
// them out, by a tokenizer without a vocabulary (tokens.go).
package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"warmroute/hostsim/internal/rawjson"
)

// Body has the members of OpenAI's requests that change what a replica does. Sampling parameters are accepted and ignored.
type Body struct {
	Model         string          `json:"model"`
	Messages      []message       `json:"messages"`
	Tools         json.RawMessage `json:"tools"`
	Prompt        json.RawMessage `json:"prompt"`
	Input         json.RawMessage `json:"input"`        // of responses and of embeddings
	Instructions  json.RawMessage `json:"instructions"` // of responses
	System        json.RawMessage `json:"system"`       // of Anthropic's messages
	Stream        bool            `json:"stream"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	MaxTokens           *int   `json:"max_tokens"`
	MaxCompletionTokens *int   `json:"max_completion_tokens"`
	MaxOutputTokens     *int   `json:"max_output_tokens"`
	N                   *int   `json:"n"`
	PreviousResponseID  string `json:"previous_response_id"` // of responses
	Dimensions          *int   `json:"dimensions"`           // of embeddings
	EncodingFormat      string `json:"encoding_format"`      // of embeddings: float or base64
	Seed                int64  `json:"seed"`
	CacheSalt           string `json:"cache_salt"`
	Priority            int    `json:"priority"` // the lower, the earlier; read with priority_scheduling alone
}

// defaultMaxTokens is OpenAI's default for completions. It is used for chats too, where vLLM would use the rest of the context.
const defaultMaxTokens = 16

// Error is an error in the form of vLLM's server.
type Error struct {
	Status  int
	Kind    string
	Param   string
	Message string
}

func (e *Error) Error() string { return e.Message }

// BadRequest is one of status 400 about a member of the body; "": of none.
func BadRequest(param, format string, args ...any) *Error {
	return &Error{http.StatusBadRequest, "BadRequestError", param, fmt.Sprintf(format, args...)}
}

// Parse reads a request body and returns it with its prompts: one for a chat in any form, one or more for a completion.
func Parse(data []byte, kind API, model string, adapters []string) (*Body, [][]uint32, *Error) {
	b, err := asBody(data)
	if err != nil {
		return nil, nil, &Error{http.StatusBadRequest, "Bad Request", "", err.Error()}
	}
	prompts, bad := b.prompts(kind, model, adapters)
	return b, prompts, bad
}

func asBody(data []byte) (*Body, error) {
	if b := quickBody(data); b != nil {
		return b, nil
	}
	b := new(Body)
	return b, json.Unmarshal(data, b)
}

// prompts are those of a body that was read.
func (b *Body) prompts(kind API, model string, adapters []string) ([][]uint32, *Error) {
	if b.Model != "" && b.Model != model && !slices.Contains(adapters, b.Model) {
		return nil, &Error{http.StatusNotFound, "NotFoundError", "model",
			fmt.Sprintf("The model `%s` does not exist.", b.Model)}
	}
	if b.N != nil && *b.N != 1 {
		return nil, BadRequest("n", "n must be 1 on this simulated replica, got %d.", *b.N)
	}
	if b.Limit() < 1 {
		return nil, BadRequest("max_tokens", "max_tokens must be at least 1, got %d.", b.Limit())
	}
	if b.PreviousResponseID != "" && kind == Responses { // as vLLM, unless it is told to store responses
		return nil, &Error{http.StatusNotFound, "NotFoundError", "previous_response_id",
			fmt.Sprintf("Response with id '%s' not found.", b.PreviousResponseID)}
	}
	var prompts [][]uint32
	var err error
	switch {
	case kind == Embeddings:
		return b.embeddingPrompts()
	case kind == Completions:
		prompts, err = completionPrompts(b.Prompt, "prompt")
	case kind != Responses && len(b.Messages) == 0:
		return nil, &Error{http.StatusBadRequest, "Bad Request", "messages", "messages: Field required"}
	default:
		var turns []message
		if turns, err = b.turns(kind); err == nil {
			prompts = make([][]uint32, 1)
			prompts[0], err = renderChat(b.Tools, turns)
		}
	}
	if err != nil {
		return nil, BadRequest("", "%s", err)
	}
	return prompts, nil
}

// Limit is how many tokens the answer has at most.
func (b *Body) Limit() int {
	switch {
	case b.MaxCompletionTokens != nil:
		return *b.MaxCompletionTokens
	case b.MaxOutputTokens != nil:
		return *b.MaxOutputTokens
	case b.MaxTokens != nil:
		return *b.MaxTokens
	}
	return defaultMaxTokens
}

// Tokenized reports whether a completion's prompts are token ids.
func (b *Body) Tokenized() bool {
	rest := bytes.TrimLeft(b.Prompt, "[ \t\r\n")
	return len(rest) > 0 && len(rest) < len(b.Prompt) && rest[0] >= '0' && rest[0] <= '9'
}

// completionPrompts takes the four forms of a completion's prompt, or of what is to be embedded: text, texts, token ids,
// lists of token ids.
func completionPrompts(raw json.RawMessage, member string) ([][]uint32, error) {
	if Empty(raw) {
		return nil, errors.New(member + ": Field required")
	}
	var texts []string
	var ids []uint32
	var lists [][]uint32
	switch {
	case raw[0] == '"':
		lists = [][]uint32{appendBytes(nil, rawjson.Text(raw))}
	case json.Unmarshal(raw, &texts) == nil:
	case json.Unmarshal(raw, &ids) == nil:
		lists, texts = [][]uint32{ids}, nil
	case json.Unmarshal(raw, &lists) == nil:
		texts = nil
	default:
		return nil, errors.New(member + ": Input should be a string, a list of strings, a list of token ids or a list of lists of token ids")
	}
	for _, t := range texts {
		lists = append(lists, AppendText(nil, t))
	}
	if len(lists) == 0 {
		return nil, errors.New(member + ": must not be empty")
	}
	for _, l := range lists {
		if len(l) == 0 {
			//lint:ignore ST1005 vLLM's own words
			return nil, errors.New("The decoder prompt cannot be empty")
		}
	}
	return lists, nil
}
