package fleet

import (
	"encoding/json"
	"testing"
)

// What /tokenize counts is what the answer's usage counts, of a chat and of a completion.
func TestTokenize(t *testing.T) {
	f := start(t, 1, fast)
	url := f.URLs()[0]
	for path, body := range map[string]string{
		"/v1/chat/completions": `{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"How deep is the harbour?"}],"max_tokens":2}`,
		"/v1/completions":      `{"prompt":"The harbour is deep","max_tokens":2}`,
	} {
		var tokens struct {
			Count       int      `json:"count"`
			MaxModelLen int      `json:"max_model_len"`
			Tokens      []uint32 `json:"tokens"`
		}
		response, text := send(t, "POST", url+"/tokenize", body)
		if err := json.Unmarshal(text, &tokens); err != nil || response.StatusCode != 200 {
			t.Fatalf("%s: %v, %s", path, err, text)
		}
		var answer struct {
			Usage struct {
				PromptTokens int `json:"prompt_tokens"`
			} `json:"usage"`
		}
		_, text = send(t, "POST", url+path, body)
		if err := json.Unmarshal(text, &answer); err != nil {
			t.Fatal(err)
		}
		if tokens.Count != answer.Usage.PromptTokens || len(tokens.Tokens) != tokens.Count || tokens.MaxModelLen == 0 {
			t.Errorf("%s: %+v tokens, the answer counted %d", path, tokens, answer.Usage.PromptTokens)
		}
	}
	for _, body := range []string{`{`, `{"prompt":["a","b"]}`, `{"model":"none","prompt":"a"}`} {
		if response, text := send(t, "POST", url+"/tokenize", body); response.StatusCode < 400 {
			t.Errorf("%s: %d %s", body, response.StatusCode, text)
		}
	}
}
