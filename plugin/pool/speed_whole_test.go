package pool

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/health"
)

// wholeAnswers sends n requests to endpoint i, one after the other, whose responses are not streamed: they take step seconds a token, and
// perToken for each of their prompt.
func wholeAnswers(p *Pool, random *rand.Rand, i, n int, perToken, step float64, now int64) int64 {
	for range n {
		of := textOf(4 * (100 + int(random.ExpFloat64()*2000)))
		of.Stream = false
		f := send(p, i, of, now)
		prompt, output := f.bytes/4, 1+int(random.ExpFloat64()*100)
		now += int64((float64(prompt)*perToken + float64(output+1)*step) * (1 + 0.2*random.Float64()) * 1e9)
		p.End(f, now, Outcome{Ending: health.Answered, Usage: true, PromptTokens: prompt, OutputTokens: output})
		p.speeds.Compare(now)
		now += 1e9
	}
	return now
}

// Of two cards that are six times apart both are known by whole responses, and what a token of the pool's takes.
func TestWholeResponsesTell(t *testing.T) {
	for seed := range uint64(10) {
		p, random := newPool(2), rand.New(rand.NewPCG(seed, 1))
		for now := int64(second); now < 1000*second; {
			now = wholeAnswers(p, random, 0, 1, 50e-6, 10e-3, now)
			now = wholeAnswers(p, random, 1, 1, 300e-6, 60e-3, now)
		}
		sixApart(t, fmt.Sprintf("seed %d", seed), p, 1000*second)
	}
}

// sixApart says what is wrong unless it is known that two endpoints take 50 and 300 µs a token.
func sixApart(t *testing.T, what string, p *Pool, now int64) {
	t.Helper()
	all := p.Look(now)
	if got := all[1].Slower / all[0].Slower; got < 4.5 || got > 8 {
		t.Errorf("%s: one takes %v times as long as the other, want 6", what, got)
	}
	for i, want := range []float64{50e-6, 300e-6} {
		if got := p.PerToken(i); got < want/2 || got > want*2 {
			t.Errorf("%s, endpoint %d: %v s a token, want %v", what, i, got, want)
		}
	}
}

// Equal cards stay equal, and where prompts are all as long as each other a token's time is known from that of a step.
func TestWholeResponsesOfEqualCards(t *testing.T) {
	p, random := newPool(2), rand.New(rand.NewPCG(3, 1))
	for now := int64(second); now < 400*second; {
		now = wholeAnswers(p, random, 0, 1, 20e-6, 5e-3, now)
		now = wholeAnswers(p, random, 1, 1, 20e-6, 5e-3, now)
	}
	if all := p.Look(400 * second); all[0].Slower != 1 || all[1].Slower != 1 {
		t.Errorf("equal cards take %v and %v times the mean", all[0].Slower, all[1].Slower)
	}
	if got := p.PerToken(0); got < 10e-6 || got > 40e-6 {
		t.Errorf("%v s a token, want 20e-6", got)
	}
}

// First tokens tell more: where some responses are streamed, whole ones teach nothing.
func TestStreamsTeachInstead(t *testing.T) {
	p, random := newPool(1), rand.New(rand.NewPCG(1, 1))
	stream := func(now int64) int64 {
		f := send(p, 0, textOf(8000), now)
		p.FirstToken(f, now+int64(second/5)) // 100e-6 s a token
		p.End(f, now+second, Outcome{Ending: health.Answered, Usage: true, PromptTokens: 2000, OutputTokens: 80})
		return now + 2*second
	}
	now := int64(second)
	for range 40 {
		now = stream(now)
	}
	for range 20 {
		now = wholeAnswers(p, random, 0, 4, 1e-3, 1, now) // of a card that took ten times as long
		now = stream(now)
	}
	if got := p.PerToken(0); math.Abs(got/100e-6-1) > 0.2 {
		t.Errorf("%v s a token, want the streams' 100e-6", got)
	}
}

// Of prompts that are not streamed one that is far longer than the others is under way for longer than its tokens say, and counts for as
// many as it has.
func TestLongPromptsTakeLonger(t *testing.T) {
	p, random := newPool(2), rand.New(rand.NewPCG(2, 1))
	now := wholeAnswers(p, random, 0, 60, 50e-6, 10e-3, second)
	long := textOf(1 << 20)
	long.Stream = false
	tokens := send(p, 1, long, now).Tokens
	if got := p.Queue(1, now); math.Abs(got/tokens-1) > 0.01 {
		t.Errorf("%v tokens are queued, want %v", got, tokens)
	}
	linear := int64(tokens * p.PerToken(1) * 1e9)
	if got := p.Queue(1, now+linear); got < tokens/2 {
		t.Errorf("after %v s %v tokens of %v are queued: most attend to more than 100,000 others", float64(linear)/1e9, got, tokens)
	}
	if got := p.Queue(1, now+10*linear); got != 0 {
		t.Errorf("%v tokens are queued after ten times as long", got)
	}
}

// Whatever a server claims, no number becomes none.
func TestWholeResponsesThatLie(t *testing.T) {
	p, random := newPool(2), rand.New(rand.NewPCG(4, 1))
	now := int64(second)
	for range 200 {
		of := textOf(4 * random.IntN(4000))
		of.Stream = false
		f := send(p, random.IntN(2), of, now)
		now += []int64{0, 1, 1000, second, 1e15}[random.IntN(5)]
		p.End(f, now, Outcome{
			Ending: health.Answered, Usage: true, PromptTokens: random.IntN(1 << 28), CachedTokens: random.IntN(1 << 28), OutputTokens: random.IntN(3) * random.IntN(1<<28),
		})
		p.speeds.Compare(now)
		for i := range 2 {
			if s := p.Look(now)[i].Slower; !(p.PerToken(i) >= 1e-7/1e4 && p.PerToken(i) <= 1e-1*1e4) || !(s > 0 && s <= math.MaxFloat64) {
				t.Fatalf("%v s a token, %v times the mean", p.PerToken(i), s)
			}
			if q := p.Queue(i, now); !(q >= 0 && q <= math.MaxFloat64) {
				t.Fatalf("%v tokens queued", q)
			}
		}
	}
}

// Where a long prompt has ended, or short ones have, those that are left count as before.
func TestLongPromptsEnd(t *testing.T) {
	p, random := newPool(3), rand.New(rand.NewPCG(2, 1))
	now := wholeAnswers(p, random, 0, 60, 50e-6, 10e-3, second)
	whole := func(i, size int) *Flight {
		of := textOf(size)
		of.Text[0] = byte(random.IntN(256))
		of.Stream = false
		return send(p, i, of, now)
	}
	for how, end := range map[string]func(f *Flight){
		"an answer":  func(f *Flight) { p.End(f, now, Outcome{Ending: health.Answered}) },
		"a client":   func(f *Flight) { p.End(f, now, Outcome{Ending: health.Cancelled}) },
		"a retry":    func(f *Flight) { p.Moved(f, 2, now) },
		"its stream": func(f *Flight) { p.extendStream(f, true, now); p.FirstToken(f, now) },
	} {
		long, short := whole(1, 1<<20), whole(1, 16000)
		end(long)
		if got := p.Queue(1, now); math.Abs(got/short.uncached-1) > 0.01 {
			t.Errorf("%s ends a long prompt, and %v tokens are queued, want %v", how, got, short.uncached)
		}
		end(short)
		if got := p.Queue(1, now); got > 1 {
			t.Errorf("%s ends both, and %v tokens are queued", how, got)
		}
		long, short = whole(1, 1<<20), whole(1, 16000)
		p.End(short, now, Outcome{Ending: health.Cancelled})
		if got := p.Queue(1, now); math.Abs(got/long.uncached-1) > 0.01 {
			t.Errorf("%v tokens are queued, want the long prompt's %v", got, long.uncached)
		}
		p.End(long, now, Outcome{Ending: health.Cancelled})
	}
}

// One answer that comes far too soon, or claims far too many tokens, changes little.
func TestOneOddAnswer(t *testing.T) {
	for name, odd := range map[string]Outcome{
		"at once": {Ending: health.Answered, Usage: true, PromptTokens: 2000, OutputTokens: 50},
		"a claim": {Ending: health.Answered, Usage: true, PromptTokens: 2000, OutputTokens: 1e6},
	} {
		p, random := newPool(2), rand.New(rand.NewPCG(5, 1))
		now := wholeAnswers(p, random, 0, 200, 50e-6, 10e-3, second)
		before := p.PerToken(0)
		of := textOf(8000)
		of.Stream = false
		p.End(send(p, 0, of, now), now+1000, odd)
		for range 4 {
			now = wholeAnswers(p, random, 0, 50, 50e-6, 10e-3, now+second)
			if got := p.PerToken(0); got > 2*before || got < before/2 {
				t.Errorf("%s: %v s a token, %v before", name, got, before)
			}
		}
	}
}

// Streams whose first token tells nothing, such as those with images that the server fetches, do not keep whole answers from teaching.
func TestStreamsThatTeachNothing(t *testing.T) {
	p, random := newPool(1), rand.New(rand.NewPCG(1, 1))
	now := int64(second)
	for range 100 {
		of := textOf(8000)
		of.Fetched = true
		f := send(p, 0, of, now)
		p.FirstToken(f, now+1000)
		p.End(f, now+second, Outcome{Ending: health.Answered, Usage: true, PromptTokens: 2000, OutputTokens: 80})
		now = wholeAnswers(p, random, 0, 5, 1e-3, 0.2, now+second)
	}
	if got := p.PerToken(0); got < 0.5e-3 || got > 2e-3 {
		t.Errorf("%v s a token, want 1e-3", got)
	}
}

// Answers of an endpoint that has left say nothing of the one that has its index since, and do not shorten its queue.
func TestIndexUsedAgain(t *testing.T) {
	p, random := newPool(3), rand.New(rand.NewPCG(3, 1))
	now := wholeAnswers(p, random, 0, 60, 50e-6, 10e-3, second)
	whole := func() *Flight {
		of := textOf(8000)
		of.Stream = false
		return send(p, 2, of, now)
	}
	var old []*Flight
	for range 16 {
		old = append(old, whole())
	}
	p.Remove(2)
	now += second
	p.Place(2, config.Endpoint{Address: "10.0.0.99:80", Weight: 1}, now)
	now += 1000
	f := whole()
	for _, o := range old {
		p.End(o, now, Outcome{Ending: health.Answered, Usage: true, PromptTokens: 2000, OutputTokens: 1})
	}
	if got := p.Queue(2, now); math.Abs(got/f.uncached-1) > 0.01 {
		t.Errorf("%v tokens are queued, want %v", got, f.uncached)
	}
	if got := p.OwnSpeed(2, now).Sums[0]; got != 0 {
		t.Errorf("%v answers count for an endpoint that has given none", got)
	}
}
