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
	if got := p.tokens.latest(); math.Abs(got-3) > 0.1 {
		t.Errorf("%v bytes a token, want 3", got)
	}
	if f := send(p, 1, textOf(1200), second); math.Abs(f.Tokens-400) > 10 {
		t.Errorf("a prompt of 1200 bytes is taken for %v tokens, want 400", f.Tokens)
	}
}

func TestModelsAreToldApartAndBounded(t *testing.T) {
	var models tokens
	for m := range 40 {
		models.learn(uint64(m+100), 1000*(m+1), 1000)
	}
	if got := models.bytesPerToken(139); got != 40 {
		t.Errorf("the last model: %v bytes a token, want 40", got)
	}
	if got := models.bytesPerToken(100); got != usualBytes {
		t.Errorf("a forgotten model: %v bytes a token, want %v", got, usualBytes)
	}
}
