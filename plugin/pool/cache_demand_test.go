package pool

import (
	"math"
	"testing"

	"warmroute/plugin/prompt"
	"warmroute/plugin/recent"
)

// beginsWith is a prompt of a beginning of that many bytes and a tail that none shares.
func beginsWith(head byte, size int, tail byte, more int) *prompt.Prompt {
	of := textOf(size + more)
	for i := range of.Text {
		of.Text[i] = head
		if i >= size {
			of.Text[i] = tail
		}
	}
	return of
}

// demanded asks for the beginnings of a prompt, and counts it.
func demanded(p *Pool, of *prompt.Prompt, now int64) []Held {
	f := new(Flight)
	p.Prepare(f, of, nil, 0)
	p.Match(f)
	return p.Demand(f, now)
}

func TestDemand(t *testing.T) {
	p := newPool(4)
	now := second
	if held := demanded(p, beginsWith('a', 2048, 'b', 1024), now); len(held) != 0 {
		t.Fatalf("of caches that are empty: %v", held)
	}
	send(p, 0, beginsWith('a', 2048, 'b', 1024), now)
	send(p, 1, beginsWith('a', 2048, 'c', 1024), now)
	send(p, 1, beginsWith('a', 2048, 'e', 1024), now) // the second to go on otherwise: others begin so, too
	// Both hold eight blocks of 256 B, and the first the four behind them, too.
	of := beginsWith('a', 2048, 'b', 1024)
	held := demanded(p, of, now)
	if len(held) != 2 || held[0].Blocks != 12 || held[0].Holders != 1 || held[1].Blocks != 8 || held[1].Holders != 2 || held[1].Share != 0 {
		t.Fatalf("%+v, want 12 blocks held by 1 endpoint, and 8 by 2, that no prompt was known to begin with", held)
	}
	for range 29 {
		demanded(p, beginsWith('a', 2048, 'd', 512), now)
		demanded(p, beginsWith('x', 2048, 'y', 512), now)
	}
	held = demanded(p, of, now)
	if held[0].Share != 0 || math.Abs(held[1].Share-(30-math.Sqrt(30))/60) > 1e-9 {
		t.Errorf("%+v, want shares of none and 30 in 60, less one standard error", held)
	}
	if want := 30 - math.Sqrt(30); math.Abs(held[1].Lately-want) > 1e-9 {
		t.Errorf("%v came lately, want %v", held[1].Lately, want)
	}
	if later := demanded(p, of, now+20*second); math.Abs(later[1].Lately-(31*math.Exp(-2)-math.Sqrt(31*math.Exp(-2)))) > 0.01 {
		t.Errorf("20 s later %v came lately", later[1].Lately)
	}
	if later := demanded(p, of, now+10*recent.Span); later[1].Share > 0.01 {
		t.Errorf("ten minutes later %+v", later)
	}
}

// What one conversation alone begins with counts as far as its prompts wait for each other.
func TestDemandOfOneConversation(t *testing.T) {
	for _, together := range []bool{false, true} {
		p, now := newPool(4), second
		of := beginsWith('a', 2048, 'b', 1024)
		var last *Flight
		for range 30 {
			f := new(Flight)
			p.Prepare(f, of, nil, 0)
			p.Match(f)
			p.Demand(f, now)
			p.Expect(f, 0)
			p.Begin(f, 0, now)
			if last != nil && together {
				p.FirstToken(last, now)
			}
			if last = f; !together {
				p.FirstToken(f, now)
			}
		}
		held := demanded(p, of, now)
		if len(held) == 0 {
			t.Fatal("nobody holds it")
		}
		want := 0.0
		if together {
			want = 28 - math.Sqrt(28) // all but the first, which nobody holds, and the second
		}
		if got := held[0].Lately; math.Abs(got-want) > 1e-9 {
			t.Errorf("waiting together %v: %v came lately, want %v", together, got, want)
		}
		p.FirstToken(last, now)
		once := demanded(p, of, now)[0].Lately
		if twice := demanded(p, of, now)[0].Lately; twice != once {
			t.Errorf("waiting together %v: %v came lately, and then %v, though none waits any more", together, once, twice)
		}
	}
}

// A prompt that waited waits no more once it has ended, whatever its rest has made of it: its server keeps a few of its tokens, or tools that come
// behind its turns stand before them.
func TestNoneWaitsBehindItsEnd(t *testing.T) {
	of := beginsWith('a', 2048, 'b', 1024)
	kept, tools := beginsWith('a', 2048, 'b', 2048), beginsWith('z', 2048, 'b', 2048)
	kept.Keeps = 16
	for what, whole := range map[string]*prompt.Prompt{"kept in part": kept, "with tools": tools} {
		p, now := newPool(4), second
		p.End(send(p, 0, of, now), now, Outcome{})
		part, f := beginsWith('a', 2048, 'b', 1024), new(Flight)
		part.Truncated = true
		p.Prepare(f, part, nil, 0)
		p.Match(f)
		p.Demand(f, now)
		p.Expect(f, 0)
		p.Begin(f, 0, now)
		p.Extend(f, whole, now)
		p.End(f, now, Outcome{})
		for range 8 {
			demanded(p, of, now)
		}
		if lately := demanded(p, of, now)[0].Lately; lately != 0 {
			t.Errorf("%s: %v came lately while another one waited, though none does", what, lately)
		}
	}
}

// Gateways place prompts about a document by the document, others by their conversation.
func TestMeets(t *testing.T) {
	const doc, blocks = 4096, 16
	for name, c := range map[string]struct {
		holders   int // endpoints of four that hold it
		questions int // bytes of each
		each      int // prompts about the document
		others    int // about something else
		meet      int // leading blocks
	}{
		"a document":                            {1, 1024, 8, 30, 0},
		"half of the endpoints hold it":         {2, 1024, 8, 30, 0},
		"more than half of them hold it":        {3, 1024, 8, 30, blocks},
		"nearly all prompts are about it":       {1, 1024, 30, 8, blocks},
		"it begins conversations of many turns": {1, 16384, 8, 30, blocks},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPool(4)
			now := second
			for question := range byte(3) { // from then on it is known to be shared
				for i := range c.holders {
					send(p, i, beginsWith('a', doc, 'k'+question, c.questions), now)
				}
			}
			for range c.each {
				demanded(p, beginsWith('a', doc, 'q', c.questions), now)
			}
			for range c.others {
				demanded(p, beginsWith('x', doc, 'y', 512), now)
			}
			f := new(Flight)
			p.Prepare(f, beginsWith('a', doc, 'z', c.questions), nil, 0)
			p.Match(f)
			p.Demand(f, now)
			if got := p.Shared(); got != blocks {
				t.Fatalf("%d blocks are shared, not the %d of the document", got, blocks)
			}
			if got := p.Meets(f, 4, now); got != c.meet {
				t.Errorf("gateways meet behind %d blocks, want %d", got, c.meet)
			}
		})
	}
	p := newPool(4)
	if f := new(Flight); p.Meets(f, 4, second) != 0 {
		t.Error("of a prompt that nobody holds gateways meet behind blocks")
	}
}
