package chats

import (
	"strings"
	"testing"

	"warmroute/hostsim/internal/loose"
)

// A text that was replaced says nothing of what prompts share; one that speaks of such things does.
func TestHidden(t *testing.T) {
	hash := strings.Repeat("0123456789abcdef", 4)
	for text, want := range map[string]bool{
		"[REDACTED]": true, "<redacted>": true, "redacted-by-litellm": true, "***": true, "********": true, "XXXX": true, "[PII_REDACTED]": true, "(content removed)": false,
		"{{ REDACTED_TEXT }}": true, hash: true, "sha256:" + hash: true, "SHA-256=" + hash: true, "md5_" + hash[:32]: true, "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=": true,
		"": false, "Which words were redacted?": false, "redacted and then some more": false, "hello": false, "1234567890": false, "What is " + hash + "?": false,
	} {
		for _, body := range []string{
			`{"messages":[{"role":"user","content":"%"}]}`,
			`{"messages":[{"role":"system","content":"You are."},{"role":"user","content":[{"type":"text","text":"%"}]},{"role":"assistant","content":"%"}]}`,
			`{"prompt":"%"}`, `{"input":"%","model":"m"}`, `{"input":[{"role":"user","content":"%"}],"model":"m"}`,
		} {
			if got := Hidden(loose.Read([]byte(strings.ReplaceAll(body, "%", text))).Object()); got != want {
				t.Errorf("%s with %q: %v", body, text, got)
			}
		}
	}
	for _, body := range []string{
		`{"messages":[{"role":"system","content":"[REDACTED]"}]}`,
		`{"messages":[{"role":"user","content":"[REDACTED]"},{"role":"assistant","content":"Yes."}]}`,
		`{"messages":[]}`, `{"prompt":[1,2,3]}`,
	} {
		if Hidden(loose.Read([]byte(body)).Object()) {
			t.Errorf("%s: hidden", body)
		}
	}
}
