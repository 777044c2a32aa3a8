//go:build e2evllm

package e2evllm

import (
	"fmt"
	"strings"
	"testing"
)

// TestBilling: Claude Code's billing line, another one in each request, is no part of the prompt, for vLLM and for the module alike.
func TestBilling(t *testing.T) {
	line := func(turn int) string {
		return fmt.Sprintf("x-anthropic-billing-header: cc_version=2.1; cch=%05x;", 7919*turn)
	}
	part := func(text string) map[string]any { return map[string]any{"type": "text", "text": text} }
	for _, c := range []struct {
		name, path string
		body       func(turn int) map[string]any
	}{
		{"messages, blocks", "/v1/messages", func(turn int) map[string]any {
			return map[string]any{"system": []any{part(line(turn)), part(story("blocks"))}}
		}},
		{"messages, string", "/v1/messages", func(turn int) map[string]any {
			return map[string]any{"system": line(turn) + "\n" + story("string")}
		}},
		{"chat", "/v1/chat/completions", func(turn int) map[string]any {
			return map[string]any{"messages": []any{map[string]any{"role": "system", "content": line(turn) + "\n" + story("chat")}, map[string]any{"role": "user", "content": "Go on."}}}
		}},
		{"chat, parts", "/v1/chat/completions", func(turn int) map[string]any {
			return map[string]any{"messages": []any{
				map[string]any{"role": "system", "content": []any{part(line(turn)), part(story("parts"))}}, map[string]any{"role": "user", "content": "Go on."},
			}}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := strings.Split(pool(t, "addresses"), ",")[0]
			s := launch(t, map[string]any{"endpoints": []string{server}})
			hits := func() float64 { return sum(t, s.page(t, server), "vllm:prefix_cache_hits_total") }
			for turn := range 3 {
				body := c.body(turn)
				body["model"], body["max_tokens"] = "tiny", 4
				if _, chat := body["messages"]; !chat {
					body["messages"] = []any{map[string]any{"role": "user", "content": "Go on."}}
				}
				before := hits()
				r := s.post(t, c.path, body)
				if r.status != 200 {
					t.Fatalf("turn %d: status %d: %.300s", turn, r.status, r.body)
				}
				found, matched := hits()-before, r.number("matched")
				if turn > 0 && (found < 1000 || matched < r.number("blocks")) || turn == 0 && (found > 200 || matched > 0) {
					t.Errorf("turn %d: vLLM found %v tokens, %v of %v blocks were believed to be cached", turn, found, matched, r.number("blocks"))
				}
			}
		})
	}
}
