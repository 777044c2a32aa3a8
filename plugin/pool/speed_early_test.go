package pool

import (
	"math/rand/v2"
	"testing"

	"warmroute/plugin/health"
)

// earlyAmong lets eight endpoints, which take perToken seconds a token, answer 2,400 new prompts that do not tell their cached tokens. Of a tenth
// an endpoint that has those of others has all 30,000 tokens, by another name of the model.
func earlyAmong(perToken func(i int) float64, has func(i int) bool) *Pool {
	p, random, texts := newPool(8), rand.New(rand.NewPCG(1, 1)), rand.NewChaCha8([32]byte{})
	for n := range 2400 {
		now, e, tokens := int64(n+1)*second, n%8, 100+int(random.ExpFloat64()*2000)
		took := 0.02 + float64(tokens)*perToken(e)
		if random.IntN(10) == 0 && has(e) {
			tokens, took = 30_000, 0.025
		}
		of := textOf(4 * tokens)
		texts.Read(of.Text[:8])
		f, first := send(p, e, of, now), now+int64(took*1e9)
		p.FirstToken(f, first)
		p.End(f, first, Outcome{Ending: health.Answered, PromptTokens: tokens})
		p.speeds.Compare(first)
	}
	return p
}

// Prompts that are new here and cached there change no speed.
func TestCachedPromptsThatSeemNewTeachNoSpeed(t *testing.T) {
	for _, each := range []bool{true, false} {
		p := earlyAmong(func(int) float64 { return 1e-4 }, func(i int) bool { return each || i == 0 })
		for i, of := range p.Look(2400 * second) {
			if got := p.PerToken(i); got < 70e-6 || got > 140e-6 || of.Slower < 0.8 || of.Slower > 1.25 {
				t.Errorf("at each %v: endpoint %d takes %v s a token, %v × the mean, want 1e-4 and 1", each, i, got, of.Slower)
			}
		}
	}
}

// Endpoints that are far faster than others, or than what is assumed, are known to be.
func TestFastEndpointsAreNotEarly(t *testing.T) {
	for what, perToken := range map[string]func(i int) float64{
		"all":     func(int) float64 { return 5e-6 },
		"a half":  func(i int) float64 { return 1e-3 / (1 + 19*float64(i%2)) },
		"one":     func(i int) float64 { return 1e-3 / (1 + 19*float64(i/7)) },
		"all but": func(i int) float64 { return 50e-6 * (1 + 19*float64(i/7)) },
	} {
		p := earlyAmong(perToken, func(int) bool { return false })
		for i := range 8 {
			if got, want := p.PerToken(i), perToken(i); got < want/2 || got > want*2 {
				t.Errorf("%s: endpoint %d takes %v s a token, want %v", what, i, got, want)
			}
		}
	}
}
