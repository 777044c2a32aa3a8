package bench

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Paths are those of the APIs whose streams are read.
func Paths() []string {
	return []string{"/v1/chat/completions", "/v1/completions", "/v1/responses", "/v1/messages"}
}

// Body is a recorded request's body as it is sent again: it names model, asks for a stream that ends with the usage, and for an answer of
// output tokens, whatever the model would say (ignore_eos, which vLLM and SGLang read). A salt that is not "" keeps its blocks apart from
// all others' (cache_salt). An empty model leaves the body's own. Errors: no JSON object, a path that is none of Paths.
func Body(path string, body []byte, model, salt string, output int) ([]byte, error) {
	if !slices.Contains(Paths(), path) {
		return nil, fmt.Errorf("path %q: answers are read of %v", path, Paths())
	}
	var o map[string]json.RawMessage
	if err := json.Unmarshal(body, &o); err != nil {
		return nil, err
	}
	for _, name := range []string{"max_completion_tokens", "max_output_tokens", "min_tokens", "stop", "n", "best_of", "previous_response_id", "stream_options", "store", "background"} {
		delete(o, name) // of an answer that ends otherwise, or that the server would keep
	}
	set := func(name string, v any) { o[name], _ = json.Marshal(v) } // texts and numbers cannot fail
	limit := "max_tokens"
	if path == "/v1/responses" {
		limit = "max_output_tokens"
		delete(o, "max_tokens")
	}
	set(limit, max(output, 1))
	set("stream", true)
	set("ignore_eos", true)
	if path == "/v1/chat/completions" || path == "/v1/completions" {
		set("stream_options", map[string]bool{"include_usage": true})
	}
	if model != "" {
		set("model", model)
	}
	if salt != "" {
		set("cache_salt", salt)
	}
	return json.Marshal(o)
}
