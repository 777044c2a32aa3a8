package pool

import (
	"math"
	"testing"

	"warmroute/plugin/prompt"
)

// Prompts that their server refuses at once, for a parameter say, change nothing of what is known of conversations that come back.
func TestRefusedPromptsDoNotReturn(t *testing.T) {
	p := newPool(2)
	now := int64(0)
	ask := func(tokens int, refused bool) {
		now += second / 20
		of, f := textOf(4*tokens), new(Flight)
		p.Prepare(f, of, nil, 0)
		p.Match(f)
		p.Return(f, f.Total/2, 0)
		p.Expect(f, 0)
		p.Begin(f, 0, now)
		p.End(f, now, Outcome{Lost: refused})
	}
	for range 500 {
		ask(2000, false)
	}
	share := p.ReturningShare()
	if share < .2 {
		t.Fatalf("the share that comes back is %v: the test has lost its point", share)
	}
	for range 500 {
		ask(2000, false)
		ask(100_000, true)
	}
	if got := p.ReturningShare(); got < .95*share || got > 1.05*share {
		t.Errorf("with prompts that are refused the share is %v, before them %v", got, share)
	}
}

// A prompt may be routed once its beginning has come, if no endpoint holds more. What was computed before of the rest is known by its end,
// and counts as what comes back and as what is lost.
func TestRestOfPromptReturns(t *testing.T) {
	const tokens, read = 100_000, 16 << 10 // tokens, bytes that had come at the decision
	for _, c := range []struct {
		name  string
		again bool // it was computed before
		kept  float64
		lost  float64 // tokens
	}{
		{"new", false, 1, 0},
		{"computed before, and evicted since", true, 0, tokens},
	} {
		p := newPool(2)
		whole := textOf(4 * tokens)
		part := *whole
		part.Text, part.Truncated, part.BodyBytes = whole.Text[:read], true, read
		ask := func(of *prompt.Prompt, now int64) {
			f := new(Flight)
			p.Prepare(f, of, nil, 4*tokens)
			p.Match(f)
			p.Return(f, 0, 0)
			p.Expect(f, 0)
			p.Begin(f, 0, now)
			p.Extend(f, whole, now)
			p.End(f, now, Outcome{Ending: Answered, Usage: true, PromptTokens: tokens})
		}
		if c.again {
			ask(whole, second)
			p.EmptyCache(0)
		}
		p.lost = lost{}
		ask(&part, 11*second)
		if got := p.KeptShare(); got != c.kept {
			t.Errorf("%s: %v of what comes back is kept, want %v", c.name, got, c.kept)
		}
		if got := p.lost.seconds / p.PerToken(0); math.Abs(got-c.lost) > .02*tokens {
			t.Errorf("%s: %v tokens are lost, want %v", c.name, got, c.lost)
		}
	}
}
