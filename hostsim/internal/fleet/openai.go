package fleet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"warmroute/hostsim/internal/rawjson"
)

// body has the members of OpenAI's requests that change what a replica does. Sampling parameters are accepted and ignored.
type body struct {
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

// apiError is an error in the form of vLLM's server.
type apiError struct {
	status  int
	kind    string
	param   string
	message string
}

func (e *apiError) Error() string { return e.message }

func badRequest(param, format string, args ...any) *apiError {
	return &apiError{http.StatusBadRequest, "BadRequestError", param, fmt.Sprintf(format, args...)}
}

// write sends {"error": {message, type, param, code}}.
func (e *apiError) write(w http.ResponseWriter) {
	var param any
	if e.param != "" {
		param = e.param
	}
	writeJSON(w, e.status, map[string]any{"error": map[string]any{
		"message": e.message, "type": e.kind, "param": param, "code": e.status,
	}})
}

// writeTo is write in the form of an API: Anthropic's has its own.
func (e *apiError) writeTo(w http.ResponseWriter, kind api) {
	if kind != messages && kind != counting {
		e.write(w)
		return
	}
	writeJSON(w, e.status, map[string]any{"type": "error", "error": map[string]any{"type": e.kind, "message": e.message}})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // an error means that the client has disconnected
}

// parse reads a request body and returns it with its prompts: one for a chat in any form, one or more for a completion.
func parse(data []byte, kind api, model string, adapters []string) (*body, [][]uint32, *apiError) {
	b, err := asBody(data)
	if err != nil {
		return nil, nil, &apiError{http.StatusBadRequest, "Bad Request", "", err.Error()}
	}
	prompts, bad := b.prompts(kind, model, adapters)
	return b, prompts, bad
}

func asBody(data []byte) (*body, error) {
	if b := quickBody(data); b != nil {
		return b, nil
	}
	b := new(body)
	return b, json.Unmarshal(data, b)
}

// prompts are those of a body that was read.
func (b *body) prompts(kind api, model string, adapters []string) ([][]uint32, *apiError) {
	if b.Model != "" && b.Model != model && !slices.Contains(adapters, b.Model) {
		return nil, &apiError{http.StatusNotFound, "NotFoundError", "model",
			fmt.Sprintf("The model `%s` does not exist.", b.Model)}
	}
	if b.N != nil && *b.N != 1 {
		return nil, badRequest("n", "n must be 1 on this simulated replica, got %d.", *b.N)
	}
	if b.maxTokens() < 1 {
		return nil, badRequest("max_tokens", "max_tokens must be at least 1, got %d.", b.maxTokens())
	}
	if b.PreviousResponseID != "" && kind == responses { // as vLLM, unless it is told to store responses
		return nil, &apiError{http.StatusNotFound, "NotFoundError", "previous_response_id",
			fmt.Sprintf("Response with id '%s' not found.", b.PreviousResponseID)}
	}
	var prompts [][]uint32
	var err error
	switch {
	case kind == embeddings:
		return b.embeddingPrompts()
	case kind == completions:
		prompts, err = completionPrompts(b.Prompt, "prompt")
	case kind != responses && len(b.Messages) == 0:
		return nil, &apiError{http.StatusBadRequest, "Bad Request", "messages", "messages: Field required"}
	default:
		var turns []message
		if turns, err = b.turns(kind); err == nil {
			prompts = make([][]uint32, 1)
			prompts[0], err = renderChat(b.Tools, turns)
		}
	}
	if err != nil {
		return nil, badRequest("", "%s", err)
	}
	return prompts, nil
}

func (b *body) maxTokens() int {
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

// tokenized reports whether a completion's prompts are token ids.
func (b *body) tokenized() bool {
	rest := bytes.TrimLeft(b.Prompt, "[ \t\r\n")
	return len(rest) > 0 && len(rest) < len(b.Prompt) && rest[0] >= '0' && rest[0] <= '9'
}

// completionPrompts takes the four forms of a completion's prompt, or of what is to be embedded: text, texts, token ids,
// lists of token ids.
func completionPrompts(raw json.RawMessage, member string) ([][]uint32, error) {
	if empty(raw) {
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
		lists = append(lists, appendText(nil, t))
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
