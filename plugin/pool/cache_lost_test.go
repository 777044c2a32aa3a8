package pool

import (
	"math"
	"testing"

	"warmroute/plugin/health"
	"warmroute/plugin/models"
	"warmroute/plugin/prompt"
)

// What an endpoint loses is the time of what it computes though it had been computed, by the usage, and by what was believed where
// there is none. It fades within minutes.
func TestLostTime(t *testing.T) {
	const tokens = 4096
	for _, c := range []struct {
		name     string
		usage    bool
		atypical bool
		found    int     // tokens of the second turn, in the cache
		since    int64   // ns: what was used before then is not lost
		want     float64 // tokens lost
	}{
		{"all is found", true, false, tokens, 0, 0},
		{"half is found", true, false, tokens / 2, 0, tokens / 2},
		{"nothing is found", true, false, 0, 0, tokens},
		{"nothing is found, of what was used too long ago", true, false, 0, 5e9, 0},
		{"nothing is told, and it is believed to be cached", false, false, 0, 0, 0},
		{"the cache is not read, whatever it holds", true, true, 0, 0, 0},
	} {
		p := newPool(2)
		first := &prompt.Prompt{Format: prompt.Chat, Model: []byte("m"), Text: make([]byte, 4*tokens), BlockBytes: 256, BodyBytes: 4 * tokens, Stream: true, Atypical: c.atypical}
		ask := func(now int64, o Outcome) {
			f := new(Flight)
			p.Prepare(f, first, nil, 0)
			most := 0
			for _, depth := range p.Match(f) {
				most = max(most, int(depth))
			}
			p.Return(f, most, 0, c.since)
			p.Expect(f, 0)
			p.Begin(f, 0, now)
			p.FirstToken(f, now+1e9)
			p.End(f, now+1e9, o)
		}
		ask(1e9, Outcome{Ending: health.Answered, Usage: c.usage, PromptTokens: tokens})
		if got := p.Lost.Time(nil, 2e9); got != 0 {
			t.Errorf("%s: a prompt that is new loses %v", c.name, got)
		}
		perToken := p.PerToken(0)
		if c.since > 0 {
			p.Index.Drop(0) // nobody holds it
		}
		ask(11e9, Outcome{Ending: health.Answered, Usage: c.usage, PromptTokens: tokens, CachedTokens: c.found})
		if got, want := p.Lost.Time(nil, 12e9), c.want*perToken/10; math.Abs(got-want) > 0.15*want {
			t.Errorf("%s: %v of an endpoint's time is lost, want %v", c.name, got, want)
		}
		if got := p.Lost.Time(nil, 600e9); got > 1e-3*c.want*perToken {
			t.Errorf("%s: after ten minutes it is %v", c.name, got)
		}
		if got := p.Lost.Time(nil, 0); got != 0 {
			t.Errorf("%s: a clock that was set back makes it %v", c.name, got)
		}
	}
}

// A clock that is set back to before the first response makes nothing of what was lost until then seem to be of the time since.
func TestLostTimeWhenTheClockIsSetBack(t *testing.T) {
	p := newPool(2)
	for now := int64(1000e9); now < 1300e9; now += 1e9 {
		p.Lost.Note(0, 0.05, now)
	}
	for now := int64(100e9); now < 103e9; now += 1e9 {
		p.Lost.Note(0, 0.05, now)
	}
	if got := p.Lost.Time(nil, 103e9); got > 0.06 {
		t.Errorf("%v of an endpoint's time is lost, want 0.05", got)
	}
}

// Of what is lost each model's endpoints have their own.
func TestLostTimeOfModels(t *testing.T) {
	p := newPool(3)
	for i := range 3 {
		p.SetModels(i, []models.Model{models.Of([]byte{"aab"[i]}, false)})
	}
	for now := int64(second); now <= 20*second; now += second {
		p.Lost.Note(0, 0.3, now)
		p.Lost.Note(1, 0.1, now)
		p.Lost.Note(2, 0.2, now)
	}
	of := func(model string) float64 {
		servers := p.ServersOf([]byte(model))
		return p.Lost.Time(&servers, 20*second)
	}
	if a, b, all := of("a"), of("b"), p.Lost.Time(nil, 20*second); math.Abs(a-2*b) > 1e-3 || math.Abs(a+b-all) > 1e-3 || b < 0.19 {
		t.Errorf("%v and %v of an endpoint's time are lost, of %v in all", a, b, all)
	}
	p.SetModels(1, []models.Model{models.Of([]byte("b"), false)})
	p.Remove(2)
	if got := of("b"); math.Abs(got-0.1) > 0.02 {
		t.Errorf("%v is lost of b, want 0.1: the endpoint that lost more has left", got)
	}
}

// An endpoint loses no more than all of its time, whatever its responses say; nor does a response more than it took.
func TestLostTimeOfALiar(t *testing.T) {
	p := newPool(8)
	for now := int64(second); now <= 100*second; now += second / 10 {
		p.Lost.Note(0, 0.5, now)
		if got := p.Lost.Time(nil, now); got > 1.01 {
			t.Fatalf("after %d s %v of an endpoint's time are lost", now/second, got)
		}
	}
	p = newPool(8)
	for n := range 100 {
		now := int64(10+n) * second
		f := new(Flight)
		p.Prepare(f, textOf(100_000), nil, 0)
		p.Return(f, int(p.Match(f)[0]), 0, 0)
		p.Expect(f, 0)
		p.Begin(f, 0, now)
		p.FirstToken(f, now+second/20)
		p.End(f, now+second/10, Outcome{Ending: health.Answered, Usage: true, PromptTokens: 25_000})
	}
	if got := p.Lost.Time(nil, 110*second); got > 0.06 {
		t.Errorf("responses of .05 s each second have lost %v of an endpoint's time", got)
	}
}

// A prompt that is computed at a second endpoint, while the first still holds it, is a copy: nothing is lost.
func TestCopiesAreNotLost(t *testing.T) {
	p := newPool(2)
	for i := range 2 {
		now := int64(10+10*i) * second
		f := new(Flight)
		p.Prepare(f, textOf(100_000), nil, 0)
		p.Return(f, int(p.Match(f)[0]), 0, 0)
		p.Match(f)
		p.Expect(f, i)
		p.Begin(f, i, now)
		p.FirstToken(f, now+4*second)
		p.End(f, now+5*second, Outcome{Ending: health.Answered, Usage: true, PromptTokens: 25_000})
	}
	if got := p.Lost.Time(nil, 30*second); got > 0 {
		t.Errorf("%v of an endpoint's time is lost", got)
	}
}
