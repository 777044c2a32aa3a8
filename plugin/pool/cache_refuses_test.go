package pool

import (
	"testing"

	"warmroute/plugin/prefix"
)

// A prompt that a server refuses evicts nothing, and one of that length that is answered is in the index then: where a prompt is longer
// than the endpoint's memory, or at least as long as one that was refused and longer than all that were answered.
func TestRefusedPromptEvictsNothing(t *testing.T) {
	const memory = 640 * 1000 // tokens
	for _, c := range []struct {
		what     string
		refused  int  // bytes of a prompt that is refused first; 0: none is
		answered int  // likewise, of one that is answered
		bytes    int  // of the prompt
		announce bool // by its content-length; else it shows at its end
		late     bool
	}{
		{"fits", 0, 0, 4000 * 400, false, false},
		{"is longer than the memory", 0, 0, 4000 * 700, false, true},
		{"is announced to be longer than the memory", 0, 0, 4000 * 700, true, true},
		{"is longer than the memory, which was wrong", 0, 4000 * 900, 4000 * 700, false, false},
		{"is as long as one that was refused", 4000 * 300, 0, 4000 * 300, false, true},
		{"is shorter than one that was refused", 4000 * 300, 0, 4000 * 200, false, false},
		{"is no longer than one that was answered", 4000 * 300, 4000 * 400, 4000 * 350, false, false},
	} {
		p, now := believing(640)
		p.SetCache(0, memory)
		if c.refused > 0 {
			p.End(send(p, 0, textOf(c.refused), now), now, Outcome{Lost: true, Unfit: true})
		}
		if c.answered > 0 {
			f := send(p, 0, textOf(c.answered), now)
			p.End(f, now, Outcome{Usage: true, PromptTokens: c.answered / 4})
			p.RecordVisit(0, &Visit{Step: prefix.Lost, Chain: &f.Chain, At: now}, now)
		}
		for i := range 640 { // what the first prompts have evicted is back
			p.End(send(p, 0, numbered(i), now), now, cachedOf(16))
		}
		before := believed(p)
		of, f := textOf(c.bytes), new(Flight)
		of.Text[0] = 'T' // unlike those
		length := 0
		if c.announce {
			of.Text, of.BodyBytes, of.Truncated, length = of.Text[:4000*400], 4000*400, true, c.bytes
		}
		p.Prepare(f, of, nil, length)
		p.Match(f)
		p.Expect(f, 0)
		p.Begin(f, 0, now)
		if entered := f.Entered().Chain != nil; f.refused != c.late || entered == c.late {
			t.Errorf("a prompt that %s: refused %v, entered %v", c.what, f.refused, entered)
		}
		if got := believed(p); got < before == c.late {
			t.Errorf("a prompt that %s: %d others are held, before it %d", c.what, got, before)
		}
		p.End(f, now+second, Outcome{Usage: true, PromptTokens: c.bytes / 4})
		if v := f.Entered(); v.Chain == nil || v.Chain.Len() != f.Total || v.First > 0 == c.late {
			t.Errorf("a prompt that %s: answered, %+v of %d blocks is told", c.what, v, f.Total)
		}
		if depth := p.Match(f)[0]; depth < 10 {
			t.Errorf("a prompt that %s: answered, and %d blocks are held", c.what, depth)
		}
	}
}

// believed is how many of the prompts of believing are held.
func believed(p *Pool) (n int) {
	for i := range 640 {
		var f Flight
		p.Prepare(&f, numbered(i), nil, 0)
		if int(p.Match(&f)[0]) == f.Total {
			n++
		}
	}
	return n
}

// Of a prompt whose length only its end shows, what came before is taken back when it is refused.
func TestRefusedAtItsEnd(t *testing.T) {
	p, now := believing(1)
	p.SetCache(0, 1000*1000)
	before := p.Index.Held(0)
	of, f := textOf(4000*1100), new(Flight)
	whole := *of
	of.Text, of.BodyBytes, of.Truncated = of.Text[:4000*100], 4000*100, true
	p.Prepare(f, of, nil, 0)
	p.Match(f)
	p.Expect(f, 0)
	p.Begin(f, 0, now)
	if f.refused {
		t.Fatal("nobody knows yet how long it is")
	}
	if p.Extend(f, &whole, now); !f.refused {
		t.Error("at its end it is longer than the memory, and is entered")
	}
	if p.End(f, now+second, Outcome{Lost: true}); p.Index.Held(0) != before {
		t.Errorf("it was refused, and %d bytes are held, before it %d", p.Index.Held(0), before)
	}
}
