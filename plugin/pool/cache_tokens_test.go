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
	if got := p.tokens.overall(); math.Abs(got-3) > 0.1 {
		t.Errorf("%v bytes a token, want 3", got)
	}
	if f := send(p, 1, textOf(1200), second); math.Abs(f.Tokens-400) > 10 {
		t.Errorf("a prompt of 1200 bytes is taken for %v tokens, want 400", f.Tokens)
	}
}

func TestModelsAreToldApartAndBounded(t *testing.T) {
	var models tokens
	for m := range 40 {
		models.learn(uint64(m+100), 2000*(m+1), 2000, false)
	}
	if got := models.bytesPerToken(139); got != 40 {
		t.Errorf("the last model: %v bytes a token, want 40", got)
	}
	if got := models.bytesPerToken(100); got != usualBytes {
		t.Errorf("a forgotten model: %v bytes a token, want %v", got, usualBytes)
	}
}

// After four billion responses the number of the last one begins anew: the models seen before do not keep later ones out.
func TestModelsAfterManyResponses(t *testing.T) {
	models := tokens{turn: math.MaxUint32 - 20}
	for m := range 40 {
		models.learn(uint64(m+100), 2000*(m+1), 2000, false)
	}
	for m := 40 - maxModels; m < 40; m++ {
		if got, want := models.bytesPerToken(uint64(m+100)), float64(m+1); got != want {
			t.Errorf("model %d: %v bytes a token, want %v", m, got, want)
		}
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
	if got := p.tokens.overall(); got != 4 {
		t.Errorf("after 1,000 chats of two words: %v bytes a token, want 4", got)
	}
	for range 100 {
		p.End(send(p, 0, textOf(1200), second), second, Outcome{Usage: true, PromptTokens: 600})
	}
	p.tokens.all.add(4<<20, 1<<20, allMemory)
	for range 10 {
		p.End(send(p, 0, textOf(20_000), second), second, Outcome{Usage: true, PromptTokens: 20_000})
	}
	if got := p.tokens.overall(); got < 3 {
		t.Errorf("after 200,000 dense tokens beside a million others: %v bytes a token, want 3 at least", got)
	}
}
