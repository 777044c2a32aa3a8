package pool

import (
	"bytes"
	"testing"

	"warmroute/plugin/prompt"
)

// fast is a pool of n endpoints of which it is known that they take 100 µs a token.
func fast(n int) *Pool {
	p := newPool(n)
	for i := range 3 * enough {
		f := begin(p, i%n, second, 1000*(i+1), true)
		p.FirstToken(f, second+int64(i+1)*second/10)
		p.End(f, 5*second, Outcome{Ending: Answered, Usage: true, PromptTokens: 1000 * (i + 1), TTFT: int64(i+1) * second / 10})
	}
	return p
}

// A response whose first token may wait for its own client, or which turns out to be a whole one, makes no endpoint late, whenever that shows.
// At its end nothing of it is left.
func TestWhatShowsNoFirstTokenIsNotLate(t *testing.T) {
	fresh := func(size int) *prompt.Prompt {
		of := textOf(size)
		of.Text = bytes.Repeat([]byte("else"), size/4)
		return of
	}
	fetched, whole := fresh(100_000), fresh(100_000)
	fetched.Media, fetched.Fetched = true, true
	whole.Stream = false
	for name, c := range map[string]struct{ begins, ends *prompt.Prompt }{
		"a stream":               {fresh(100_000), nil},
		"media that are fetched": {fetched, nil},
		"media at the end":       {fresh(80_000), fetched},
		`a second "stream"`:      {fresh(80_000), whole},
	} {
		p, now := fast(1), 10*second
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
		p.End(f, now+31*second, Outcome{Ending: Answered})
		if e := &p.ends[0]; e.waiting != 0 || e.queued != 0 || e.unseen != 0 || e.memory.found+e.memory.held > 0 || e.underway.sent != 0 {
			t.Errorf("%s: at the end %+v, memory %+v, under way %+v are left", name, e.pending, e.memory, e.underway)
		}
	}
}
