package pool

import (
	"bytes"
	"testing"

	"warmroute/plugin/health"
	"warmroute/plugin/prompt"
	"warmroute/plugin/queue"
)

// fast is a pool of n endpoints of which it is known that a token takes so many ns.
func fast(n int, perToken int64) *Pool {
	p := newPool(n)
	for i := range 24 {
		tokens := 1000 * (i + 1)
		f, took := begin(p, i%n, second, tokens, true), int64(tokens)*perToken
		p.FirstToken(f, second+took)
		p.End(f, 5*second, Outcome{Ending: health.Answered, Usage: true, PromptTokens: tokens, TTFT: took})
	}
	return p
}

// fresh is a prompt like textOf's of which nothing is cached.
func fresh(size int) *prompt.Prompt {
	of := textOf(size)
	of.Text = bytes.Repeat([]byte("else"), size/4)
	return of
}

// A response whose first token may wait for its own client, or which turns out to be a whole one, makes no endpoint late, whenever that shows.
// At its end nothing of it is left.
func TestWhatShowsNoFirstTokenIsNotLate(t *testing.T) {
	fetched, whole := fresh(100_000), fresh(100_000)
	fetched.Media, fetched.Fetched = true, true
	whole.Stream = false
	grammar := fresh(100_000)
	grammar.Grammar = true
	for name, c := range map[string]struct{ begins, ends *prompt.Prompt }{
		"a stream":               {fresh(100_000), nil},
		"media that are fetched": {fetched, nil},
		"media at the end":       {fresh(80_000), fetched},
		"a grammar":              {grammar, nil},
		"a grammar at the end":   {fresh(80_000), grammar},
		`a second "stream"`:      {fresh(80_000), whole},
	} {
		p, now := fast(1, 100_000), 10*second
		c.begins.Truncated = c.ends != nil
		f := send(p, 0, c.begins, now)
		if c.ends != nil {
			p.Extend(f, c.ends, now+second)
		}
		if got := p.Queue(0, now+second); got < 14_000 {
			t.Errorf("%s: after a second %v tokens are queued, want 15,000 or more", name, got)
		}
		if got, late := p.Late(0, now+30*second), name == "a stream"; (got > 0) != late {
			t.Errorf("%s: after 30 s it is late by %v tokens", name, got)
		}
		p.FirstToken(f, now+30*second)
		p.End(f, now+31*second, Outcome{Ending: health.Answered})
		if e := &p.ends[0]; e.queue.Streams.Waiting != 0 || e.queue.Streams.Queued != 0 || e.queue.Wholes() || e.memory.found+e.memory.held > 0 {
			t.Errorf("%s: at the end %+v, memory %+v are left", name, e.queue, e.memory)
		}
	}
}

// An endpoint owes nothing before the end of a body has come, however long its client takes and wherever "stream" stands in it. Then it is late
// as it is for others.
func TestUploadsThatAreHeldBackMakeNothingLate(t *testing.T) {
	for _, stream := range []bool{true, false} {
		for _, held := range []int64{second / 2, 19 * second / 10, 60 * second} {
			for _, other := range []bool{false, true} {
				p, begun := fast(1, 4000), 10*second // 25,000 tokens take 100 ms
				late := func(when string, now int64, least, most float64) {
					t.Helper()
					if got := p.Late(0, now); got < least || got > most {
						t.Errorf("stream %v, held back for %v ms, another there %v: late by %.0f tokens %s, want %.0f to %.0f", stream, held/1e6, other, got, when, least, most)
					}
				}
				of := fresh(100_000)
				of.Truncated, of.Stream = true, stream
				f := send(p, 0, of, begun)
				if other {
					p.End(send(p, 0, of, begun+second/4), begun+second/2, Outcome{Ending: health.Cancelled, Lost: true})
				}
				now := begun + held
				if held > UnsentFor {
					p.Suspend(f, begun+UnsentFor)
				}
				late("before its end", now, 0, 0)
				if other {
					begin(p, 0, now, 1000, true)
				}
				p.Extend(f, fresh(101_000), now)
				late("at its end", now+second/20, 0, 0)
				late("a second later", now+second, 200_000, 250_000)
			}
		}
	}
}

// A first token that another gateway has seen shows that the endpoint goes on: what waits there for the others' prompts is queued, but not late
// besides.
func TestOthersFirstTokensAreSignsOfLife(t *testing.T) {
	p, now := fast(1, 100_000), 10*second
	send(p, 0, fresh(40_000), now)
	for n := range 30 { // each prompt of the others takes a second
		now += second
		p.SetGatewayRequests(1, now)
		p.SetGatewayLoad(0, 5, 0, queue.Line{Waiting: 5, Queued: 50_000, Begun: 5 * second, Ended: now - second/10})
		if got, late := p.Queue(0, now), p.Late(0, now); got < 40_000 || late != 0 {
			t.Fatalf("after %d s: %v tokens queued, late by %v; want 50,000 and 0", n+1, got, late)
		}
	}
	if got := p.Late(0, now+10*second); got < 80_000 {
		t.Errorf("ten seconds after all gateways' last first token it is late by %v tokens", got)
	}
}
