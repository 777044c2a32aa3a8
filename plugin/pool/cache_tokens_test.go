package pool

import (
	"math"
	"testing"
)

func TestBytesPerTokenAreLearned(t *testing.T) {
	p := newPool(2)
	for range 60 {
		p.End(send(p, 0, textOf(3000), second), second, Outcome{Usage: true, PromptTokens: 1000})
	}
	if got := p.tokens.Overall(); math.Abs(got-3) > 0.1 {
		t.Errorf("%v bytes a token, want 3", got)
	}
	if f := send(p, 1, textOf(1200), second); math.Abs(f.Tokens-400) > 10 {
		t.Errorf("a prompt of 1200 bytes is taken for %v tokens, want 400", f.Tokens)
	}
}

// Short chats, whose tokens are mostly the template's, say nothing of the bytes of a token; and it takes a cacheful of
// prompts to make every cache look smaller.
func TestShortPromptsDoNotCount(t *testing.T) {
	p := newPool(1)
	p.End(send(p, 0, textOf(40_000), second), second, Outcome{Usage: true, PromptTokens: 10_000})
	for range 1000 {
		p.End(send(p, 0, textOf(12), second), second, Outcome{Usage: true, PromptTokens: 30})
	}
	if got := p.tokens.Overall(); got != 4 {
		t.Errorf("after 1,000 chats of two words: %v bytes a token, want 4", got)
	}
	for range 100 {
		p.End(send(p, 0, textOf(1200), second), second, Outcome{Usage: true, PromptTokens: 600})
	}
	p.tokens.Learn(77, 4<<20, 1<<20, false)
	for range 10 {
		p.End(send(p, 0, textOf(20_000), second), second, Outcome{Usage: true, PromptTokens: 20_000})
	}
	if got := p.tokens.Overall(); got < 3 {
		t.Errorf("after 200,000 dense tokens beside a million others: %v bytes a token, want 3 at least", got)
	}
}
