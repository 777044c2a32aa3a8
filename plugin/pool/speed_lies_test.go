package pool

import (
	"testing"

	"warmroute/plugin/prompt"
)

// A replica that says that a prompt had far more tokens than it can have is not believed: the pool's speed and the load that it has
// in common with the others would follow, and nothing would be routed by caches for minutes.
func TestUsageThatCannotBe(t *testing.T) {
	p := newPool(4)
	now := int64(0)
	answer := func(n int, lies bool) {
		now += second
		tokens := 500 + n*997%8000
		f, took := send(p, n%4, textOf(4*tokens), now), int64(tokens)*second/10_000
		p.FirstToken(f, now+took)
		if lies {
			tokens = 1 << 28
		}
		p.End(f, now+took, Outcome{Usage: true, PromptTokens: tokens, TTFT: took})
	}
	for n := range 120 {
		answer(n, false)
	}
	speed := p.Usual()
	_, work := p.OwnWork(0, now)
	for n := range 120 {
		answer(n, n%4 == 3)
	}
	if p.Usual() < speed/16 {
		t.Errorf("the pool takes %v s a token; before the lies %v", p.Usual(), speed)
	}
	if _, lied := p.OwnWork(3, now); lied > 20*work {
		t.Errorf("%v tokens count as work of the replica that lies; %v at another one before", lied, work)
	}
}

// Nor is one believed whole that says of each prompt that it had as many tokens as bytes, and a long template: it would seem several times as fast
// as it is, and all prompts, of others too, would seem long. Where all say so it is true.
func TestUsageThatIsUnlikely(t *testing.T) {
	for _, c := range []struct{ liars, least, most, fast float64 }{{0, 3.9, 4.1, .95}, {1, 2.1, 4.1, .35}, {4, .9, 1.1, .95}} {
		p, now := newPool(4), int64(0)
		for n := range 400 {
			now += second
			bytes := 1200 + n/4*997%4000
			f, took := send(p, n%4, textOf(bytes), now), int64(bytes)*second/40_000
			p.FirstToken(f, now+took)
			tokens := bytes / 4
			switch {
			case c.liars == 4:
				tokens = bytes
			case float64(n%4) < c.liars:
				tokens = bytes + 4000
			}
			p.End(f, now+took, Outcome{Usage: true, PromptTokens: tokens, TTFT: took})
			p.speeds.Compare(0)
		}
		if got := p.tokens.Overall(); got < c.least || got > c.most {
			t.Errorf("%v of 4 endpoints say that prompts have more tokens: %v bytes a token, want %v to %v", c.liars, got, c.least, c.most)
		}
		if got := p.PerToken(0) / p.PerToken(1); got < c.fast {
			t.Errorf("%v of 4 endpoints say that prompts have more tokens: the first takes %v times as long for one as the second, want %v at least", c.liars, got, c.fast)
		}
	}
}

// Of a prompt whose beginning the server keeps (previous_response_id) the body has the last turn alone: the tokens that were computed
// count, and the endpoint's speed is learned from them.
func TestUsageOfABeginningThatTheServerKeeps(t *testing.T) {
	p := newPool(2)
	const computed = 2000
	for n := range int64(20) {
		f := send(p, 0, textOf(4*500), n*second)
		p.FirstToken(f, n*second+second/5)
		p.End(f, n*second+second/5, Outcome{Usage: true, PromptTokens: 30_000, CachedTokens: 30_000 - computed, TTFT: second / 5})
	}
	if got, want := p.Usual(), .2/computed; got < want/2 || got > want*2 {
		t.Errorf("%v s a token, want about %v", got, want)
	}
}

// The first token of a prompt whose end the client holds back comes late by the client's doing: one client that sends so to an endpoint would
// make it look slow to all.
func TestUploadsThatAreHeldBackTeachNoSpeed(t *testing.T) {
	p := newPool(3)
	now := int64(0)
	answer := func(i, tokens int, held int64) {
		now += second
		of := textOf(4 * tokens)
		whole := of.Text
		if of.Truncated = held > 0; of.Truncated {
			of.Text = whole[:len(whole)/2]
		}
		f := send(p, i, of, now)
		if of.Text, of.Truncated = whole, false; held > 0 {
			p.Extend(f, of, now+held)
		}
		took := held + int64(tokens)*second/10_000
		p.FirstToken(f, now+took)
		p.End(f, now+took, Outcome{Usage: true, PromptTokens: tokens, TTFT: took})
	}
	for n := range 120 {
		answer(n%3, 500+n*997%8000, 0)
	}
	speed := p.PerToken(0)
	for n := range 30 {
		answer(0, 8000+n, 30*second)
	}
	if got := p.PerToken(0); got > 1.2*speed {
		t.Errorf("the endpoint takes %v s a token; before the uploads %v", got, speed)
	}
}

// The first token of a prompt with an image that its server fetches comes when the client's own server has given it, and that of an answer
// with a grammar when that is compiled: one client could set what the pool takes for its speed.
func TestMediaThatAreFetchedTeachNoSpeed(t *testing.T) {
	teachNoSpeed(t, func(of *prompt.Prompt) { of.Media, of.Fetched = true, true })
}

func TestGrammarsTeachNoSpeed(t *testing.T) {
	teachNoSpeed(t, func(of *prompt.Prompt) { of.Grammar = true })
}

func teachNoSpeed(t *testing.T, delay func(*prompt.Prompt)) {
	t.Helper()
	p := newPool(3)
	now := int64(0)
	answer := func(i, tokens int, delayed int64) {
		now += second
		of := textOf(4 * tokens)
		if delayed > 0 {
			delay(of)
		}
		f, took := send(p, i, of, now), delayed+int64(tokens)*second/10_000
		p.FirstToken(f, now+took)
		p.End(f, now+took, Outcome{Usage: true, PromptTokens: tokens, TTFT: took})
		p.speeds.Compare(0)
	}
	for n := range 120 {
		answer(n%3, 500+n*997%8000, 0)
	}
	speed := p.PerToken(0)
	for n := range 120 {
		answer(n%3, 500+n*997%8000, 0)
		if n%4 == 0 {
			answer(0, 1000+n, 5*second)
		}
		if got := p.PerToken(1); got > 1.2*speed || got < speed/1.2 {
			t.Fatalf("after %d prompts an endpoint takes %v s a token; before the others %v", n, got, speed)
		}
	}
}
