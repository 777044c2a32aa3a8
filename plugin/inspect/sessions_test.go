package inspect

import "testing"

// TestSessionsOfClients: the names that clients give their conversations by themselves are known without settings, and what names a user or
// a single request is no conversation's. As these clients were seen to send them: opencode 1.18 (both), pi 0.73, Claude Code 2.1, Codex
// 0.171, Open WebUI 0.12 with ENABLE_FORWARD_USER_INFO_HEADERS, OpenHands' SDK 1.58, Mistral Vibe 3.0.
func TestSessionsOfClients(t *testing.T) {
	in := inspector(t, "")
	for _, c := range []struct {
		headers [][2]string
		want    string
	}{
		{[][2]string{{"x-session-affinity", "ses_1"}, {"x-session-id", "ses_2"}}, "ses_2"},
		{[][2]string{{"x-client-request-id", "0"}, {"x-session-affinity", "ses_1"}}, "ses_1"},
		{[][2]string{{"x-claude-code-session-id", "c1"}, {"x-request-id", "0"}}, "c1"},
		{[][2]string{{"x-claude-code-session-id", "c1"}, {"x-claude-code-agent-id", "a1"}}, "a1"}, // a sub-agent
		{[][2]string{{"x-parent-session-id", "ses_1"}, {"x-session-affinity", "ses_2"}, {"x-session-id", "ses_2"}}, "ses_2"},
		{[][2]string{{"x-codex-parent-thread-id", "t1"}, {"x-openai-subagent", "collab_spawn"}, {"session-id", "t1"}, {"thread-id", "t2"}}, "t2"},
		{[][2]string{{"x-codex-window-id", "t1:0"}, {"session-id", "s1"}, {"thread-id", "t1"}, {"originator", "codex_exec"}}, "t1"},
		{[][2]string{{"x-openwebui-user-id", "u"}, {"x-openwebui-chat-id", "w1"}, {"x-openwebui-message-id", "m"}}, "w1"},
		{[][2]string{{"http-referer", "https://docs.all-hands.dev/"}, {"x-title", "OpenHands"}, {"x-litellm-session-id", "o1"}}, "o1"},
		{[][2]string{{"x-affinity", "v1"}, {"user-agent", "Mistral-Vibe"}}, "v1"},
		{[][2]string{{"x-request-id", "0"}, {"x-stainless-retry-count", "0"}, {"user-agent", "OpenAI/JS"}}, ""},
	} {
		var h Head
		for _, header := range c.headers {
			in.Take(&h, header[0], header[1])
		}
		if h.Session != c.want {
			t.Errorf("%v: session %q, want %q", c.headers, h.Session, c.want)
		}
	}
}
