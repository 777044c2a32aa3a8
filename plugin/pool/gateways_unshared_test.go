package pool

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/plugin/others"
	"warmroute/plugin/prompt"
)

func TestHidden(t *testing.T) {
	p := newPool(2)
	ask := func(bytes int) *Flight {
		f := &Flight{}
		p.Prepare(f, textOf(bytes), nil, 0)
		p.Match(f)
		return f
	}
	few, many := ask(4000), ask(400_000)
	if got := p.Hidden(few); got != 1 {
		t.Errorf("before any response %v of what is not known is taken to be there, not 1", got)
	}
	for name, c := range map[string]struct {
		unknown, found int
		least, most    float64
	}{
		"a quarter was found each time":          {1000, 250, 0.25, 0.25},
		"less than was known":                    {1000, -80, 0, 0},
		"the estimate of its bytes is not exact": {500, 900, 1, 1},
	} {
		p.unshared = others.Unshared{}
		for range 300 {
			p.unshared.NoteHidden(few.unsent, c.unknown, c.found)
		}
		if got := p.Hidden(few); got < c.least || got > c.most {
			t.Errorf("%s: %v", name, got)
		}
		if got := p.Hidden(many); got < c.least || got > c.most {
			t.Errorf("%s: of a prompt of which much more was sent nowhere, before the first such response: %v", name, got)
		}
		if p.unshared.NoteHidden(many.unsent, 1000, 600); p.Hidden(many) != 0.6 {
			t.Errorf("%s: after it %v", name, p.Hidden(many))
		}
	}
	send(p, 0, textOf(400_000), second)
	again := ask(400_000)
	if p.Hidden(again); again.unsent >= many.unsent {
		t.Errorf("a prompt that was sent is of class %d, one that was not of %d", again.unsent, many.unsent)
	}
}

// No gateway has more of a prompt than one that has sent all of it: to ask for it again elsewhere would show nothing.
func TestNothingIsHiddenOfWhatWasSent(t *testing.T) {
	p := newPool(2)
	for _, c := range []struct {
		bytes int
		want  float64
	}{{4096, 0}, {4095, 1}} { // whole blocks, and a rest that no block has
		send(p, 0, textOf(c.bytes), second)
		f := &Flight{}
		p.Prepare(f, textOf(c.bytes), nil, 0)
		p.Match(f)
		if got := p.Hidden(f); got != c.want {
			t.Errorf("%d bytes: %v of it is taken to be elsewhere, not %v", c.bytes, got, c.want)
		}
	}
}

// answer plays a request to an endpoint whose response says that so many of its bytes were cached.
func answer(p *Pool, endpoint int, text string, cached int, now int64) {
	f := &Flight{}
	p.Prepare(f, &prompt.Prompt{Text: []byte(text), Stream: true}, nil, 0)
	p.Match(f)
	p.Expect(f, endpoint)
	p.Begin(f, endpoint, now)
	p.End(f, now+second, Outcome{Usage: true, PromptTokens: len(text) / 4, CachedTokens: cached / 4})
}

// A gateway is not alone if a cache holds what it has sent nowhere. The answer to what it sent is no sign, nor is what it has sent there and
// forgotten.
func TestForeign(t *testing.T) {
	text := strings.Repeat("abcdefgh", 1000)
	ask := func(p *Pool, endpoint, bytes, cached int, now int64) { answer(p, endpoint, text[:bytes], cached, now) }
	for name, c := range map[string]struct {
		play func(p *Pool)
		want bool
	}{
		"nothing is cached":               {func(p *Pool) { ask(p, 0, 8000, 0, second) }, false},
		"of what never came":              {func(p *Pool) { ask(p, 0, 8000, 6000, second) }, true},
		"the answer to what was sent":     {func(p *Pool) { ask(p, 0, 2000, 0, second); ask(p, 0, 8000, 6000, 9*second) }, false},
		"the next turn, sent elsewhere":   {func(p *Pool) { ask(p, 0, 2000, 0, second); ask(p, 1, 8000, 6000, 9*second) }, true},
		"what was sent there and evicted": {func(p *Pool) { ask(p, 0, 7000, 0, second); p.EmptyCache(0, 0); ask(p, 0, 8000, 6000, 9*second) }, false},
	} {
		p := newPool(2)
		for i := range p.ends {
			p.ends[i].cache.grain = 16 // hits are told to 16 tokens
		}
		c.play(p)
		if got := p.Company() > 0; got != c.want {
			t.Errorf("%s: another gateway is seen: %v", name, got)
		}
	}
}

// A prompt that was sent later may be computed first, and what lies behind the last whole block may be cached: both were sent from here.
func TestForeignNotByWhatCameSince(t *testing.T) {
	text := strings.Repeat("abcdefgh", 4000)
	for name, c := range map[string]struct {
		play func(p *Pool)
		want bool
	}{
		"another conversation begins so, and was computed first": {func(p *Pool) {
			f := send(p, 0, &prompt.Prompt{Text: []byte(text[:12_000]), Stream: true}, second)
			answer(p, 0, text[:8000]+strings.Repeat("z", 4000), 0, second+second/4)
			p.End(f, 3*second, Outcome{Usage: true, PromptTokens: 3000, CachedTokens: 2000})
		}, false},
		"more than it has of it": {func(p *Pool) {
			f := send(p, 0, &prompt.Prompt{Text: []byte(text[:12_000]), Stream: true}, second)
			answer(p, 0, text[:4000]+strings.Repeat("z", 4000), 0, second+second/4)
			p.End(f, 3*second, Outcome{Usage: true, PromptTokens: 3000, CachedTokens: 2900})
		}, true},
		"the rest of a block": {func(p *Pool) { // 42 blocks and 980 bytes, which the index believes to be gone
			answer(p, 0, text[:31_700], 0, second)
			p.EmptyCache(0, 0)
			answer(p, 0, text[:31_700], 31_680, 9*second)
		}, false},
		"the last two blocks and the rest": {func(p *Pool) {
			answer(p, 1, text[:28_700], 0, second)
			answer(p, 0, text[:31_700], 31_680, 9*second)
		}, true},
	} {
		p := newPool(2)
		for i := range p.ends {
			p.ends[i].cache.grain = 16
		}
		c.play(p)
		if got := p.Company() > 0; got != c.want {
			t.Errorf("%s: another gateway is seen: %v", name, got)
		}
	}
}

// foundIn is what one response has shown of prompts that are new, or of others: 0 or 1, of the rest of its prompt that was found; or −1,
// nothing.
func foundIn(u others.Unshared, isNew bool) float64 {
	if isNew {
		if u.Shown(1, true) == 1 {
			return 1
		}
		for range 9 { // in ten prompts that find nothing company falls
			u.NoteNew(1000, 0)
		}
		if u.Company(1, true) == 1 {
			return -1
		}
		return 0
	}
	found := u.Hidden(0, true)
	if u.NoteHidden(0, 1000, 0); found == 1 && u.Hidden(0, true) == 0 {
		return -1
	}
	return found
}

// Nor does what came meanwhile count as found where the request was guessed to find something.
func TestHiddenNotByWhatCameSince(t *testing.T) {
	text := strings.Repeat("abcdefgh", 4000)
	for _, c := range []struct {
		name        string
		isNew       bool
		meanwhile   int // bytes of the same beginning
		cached      int // tokens, of 3,000
		least, most float64
	}{
		{"new, all of it came meanwhile", true, 12_000, 2992, -1, -1},
		{"new, a part", true, 8192, 2048, 0, 0.1},
		{"new, more than came", true, 8192, 2992, 0.9, 1},
		{"known, all of it came meanwhile", false, 12_000, 2992, -1, -1},
		{"known, a part", false, 8192, 2048, 0, 0.1},
		{"known, more than came", false, 8192, 2992, 0.9, 1},
	} {
		p := newPool(2)
		f := send(p, 0, &prompt.Prompt{Text: []byte(text[:12_000]), Stream: true}, second)
		f.Guess, f.New = 0, c.isNew
		answer(p, 0, text[:c.meanwhile]+strings.Repeat("z", 12_000-c.meanwhile), 0, second+second/4)
		p.End(f, 3*second, Outcome{Usage: true, PromptTokens: 3000, CachedTokens: c.cached})
		got := foundIn(p.unshared, c.isNew)
		if got < c.least || got > c.most {
			t.Errorf("%s: %.2f of the rest was found, want %v to %v (-1: nothing is learned)", c.name, got, c.least, c.most)
		}
	}
}

// A beginning that came once and is used ever since has been sent, however many prompts came in between.
func TestForeignKnowsWhatIsHeld(t *testing.T) {
	p := newPool(2)
	for i := range p.ends {
		p.ends[i].cache.grain = 16
	}
	begins := strings.Repeat("abcdefgh", 1000)
	ask := func(text string, cached int, now int64) {
		if answer(p, 0, text, cached, now); p.Company() > 0 {
			t.Fatalf("at %d s a response is taken to show another gateway's prompts", now/second)
		}
	}
	ask(begins, 0, second)
	for i := range 10_000 {
		at := int64(i+2) * second
		ask(fmt.Sprint(i)+strings.Repeat("z", 4000), 0, at)
		if i%50 == 0 {
			ask(begins+fmt.Sprint(i)+strings.Repeat("y", 600), len(begins), at)
		}
	}
}

// Until a response has shown them, it is open whether others are gateways that send the same conversations.
func TestShownCompany(t *testing.T) {
	for name, c := range map[string]struct {
		found int // of each 1,000 bytes at a place on the ring
		tries int
		want  bool
	}{
		"nothing was tried":     {0, 0, false},
		"half was found, once":  {500, 1, true},
		"nothing was found":     {0, 50, false},
		"a little now and then": {20, 50, false},
		"a tenth was found":     {100, 50, true},
	} {
		p := newPool(2)
		for at := int64(1); at <= 60; at++ {
			showPages(p, at*second, 20, 20)
		}
		for range c.tries {
			p.unshared.NoteNew(1000, c.found)
		}
		if got := p.ShownCompany() >= 0.5; got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
