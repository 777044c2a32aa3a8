package route

import (
	"strings"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/health"
	"warmroute/plugin/pool"
	"warmroute/plugin/prompt"
)

// What a decision expects to be cached is its matched blocks in tokens of the model, once answers have told how long those
// are, and never more than the prompt.
func TestExpectedHit(t *testing.T) {
	cfg, err := config.Parse([]byte(`{"policy": "cache_aware", "endpoints": ["10.0.0.1:8000"], "block_bytes": 256}`))
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(&cfg, 1)
	text := []byte(strings.Repeat("0123456789abcdef", 160)) // 2,560 bytes: ten blocks
	for i, c := range []struct {
		bytes, promptTokens int
		want                string
	}{
		{2560, 1280, "matched=0;blocks=10;expected_cached_tokens=0"},
		{2560, 1280, "matched=10;blocks=10;expected_cached_tokens=1280"}, // 2 bytes a token, as the first answer told
		{1000, 500, "matched=3;blocks=3;expected_cached_tokens=442"},
	} {
		now := int64(i+1) * 3e9
		var d decision.Decision
		r.Pick(&decision.Request{Prompt: &prompt.Prompt{Model: []byte("m"), Text: text[:c.bytes]}, Now: now}, &d)
		if got := string(d.Append(nil, r.Endpoints)); !strings.Contains(got, c.want) {
			t.Errorf("request %d: got %s, want %s", i, got, c.want)
		}
		r.begin(&d, now)
		r.end(&d, now+1e9, pool.Outcome{Ending: health.Answered, Usage: true, PromptTokens: c.promptTokens, CachedTokens: d.Matched * 128})
	}
}
