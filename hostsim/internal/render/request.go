package render

import (
	"cmp"
	"encoding/json"
	"fmt"

	"warmroute/hostsim/internal/vllm"
)

// Request returns what a server would submit to its engine for a JSON body sent to path, without the ID. outputTokens
// replaces the body's own limit. The answer's tokens are not known, so only the prompt's blocks are cached. Errors are
// those that vLLM would answer, and a body with more than one prompt.
func Request(path string, data []byte, outputTokens int) (vllm.Request, error) {
	b, err := asBody(data)
	if err != nil {
		var named struct {
			Model string `json:"model"`
		}
		return vllm.Request{}, cmp.Or(json.Unmarshal(data, &named), err) // the model first
	}
	prompts, bad := b.prompts(apiOf(path), b.Model, nil)
	if bad != nil {
		return vllm.Request{}, bad
	}
	if len(prompts) != 1 {
		return vllm.Request{}, fmt.Errorf("the body has %d prompts; one is needed", len(prompts))
	}
	return vllm.Request{
		Tokens: prompts[0], Seed: vllm.CacheSeed(b.Model, b.CacheSalt), PromptTokens: len(prompts[0]), MaxTokens: outputTokens,
		Whole: !b.Stream,
	}, nil
}
