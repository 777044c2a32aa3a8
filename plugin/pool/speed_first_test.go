package pool

import (
	"math/rand/v2"
	"testing"

	"warmroute/plugin/health"
)

// began sends n new prompts to endpoint i, each 20 s after the one before, whose first tokens take perToken seconds for each of theirs. Their
// answers go on, and will have usage if tells is set.
func began(p *Pool, random *rand.Rand, i, n int, perToken float64, tells bool, now int64) (flights []*Flight, end int64) {
	for range n {
		of := textOf(4 * (500 + int(random.ExpFloat64()*2000)))
		of.IncludeUsage = tells
		random := rand.NewChaCha8([32]byte{byte(i), byte(now), byte(now >> 8), byte(now >> 16), byte(now >> 24), byte(now >> 32), byte(now >> 40)})
		random.Read(of.Text[:8])
		f := send(p, i, of, now)
		p.FirstToken(f, now+int64(float64(f.bytes/4)*perToken*1e9))
		flights, now = append(flights, f), now+20*second
	}
	return flights, now
}

// A card of long answers is known to be slow by the first tokens of its first prompts, whether or not there will be usage; what their ends
// tell does not count again.
func TestSlowCardsAreKnownBeforeTheirAnswersEnd(t *testing.T) {
	for _, tells := range []bool{true, false} {
		p, random := newPool(2), rand.New(rand.NewPCG(1, 1))
		told := func(tokens int) Outcome { return Outcome{Usage: tells, PromptTokens: tokens} }
		now := streams(p, random, 0, 40, 100e-6, true, told, second)
		flights, now := began(p, random, 1, 9, 3e-3, tells, now)
		p.speeds.Compare(now)
		if got := p.speeds.Times(1) / p.speeds.Times(0); got < 15 || got > 60 {
			t.Fatalf("usage %v: %.1f times as slow after nine first tokens, want 30", tells, got)
		}
		before := p.OwnSpeed(1, now)
		for _, f := range flights[:8] {
			p.End(f, now, Outcome{Ending: health.Answered, Usage: tells, PromptTokens: f.bytes / 4})
		}
		if after := p.OwnSpeed(1, now); after != before {
			t.Errorf("usage %v: ends count again: %v after %v", tells, after, before)
		}
	}
}

// Nothing is learned of a prompt before anything has told how many tokens it has, if something will; nor from events that come at once, which
// may be errors.
func TestFirstTokensThatTellNoSpeed(t *testing.T) {
	for what, c := range map[string]struct {
		perToken float64
		tells    bool
	}{"tokens are not known yet": {3e-3, true}, "at once": {0, false}} {
		p, random := newPool(2), rand.New(rand.NewPCG(1, 1))
		_, now := began(p, random, 0, 9, c.perToken, c.tells, second)
		p.speeds.Compare(now)
		if got := p.PerToken(0); got != p.PerToken(1) || p.OwnSpeed(0, now) != (Speed{}) {
			t.Errorf("%s: %v s a token, %v at the other", what, got, p.PerToken(1))
		}
	}
}
