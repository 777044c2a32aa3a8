package pool

import (
	"math"
	"testing"

	"warmroute/plugin/health"
	"warmroute/plugin/prompt"
	"warmroute/plugin/traffic"
)

// Prompts that their server refuses at once, for a parameter say, change nothing of what is known of conversations that come back; nor do
// those whose client hangs up before they can be computed.
func TestRefusedPromptsDoNotReturn(t *testing.T) {
	for _, c := range []struct {
		name   string
		tail   int   // bytes of the body that are announced and do not come
		after  int64 // ns: when it ends
		how    health.Ending
		counts bool
	}{
		{"refused", 0, 0, health.Answered, false},
		{"its client hangs up at once", 0, 0, health.Cancelled, false},
		{"its client never sends the end", 600_000, 100 * second, health.Cancelled, false},
		{"its client leaves when it could have been answered", 0, 100 * second, health.Cancelled, true},
	} {
		p := newPool(2)
		now := int64(0)
		ask := func(tokens, tail int, after int64, o Outcome) {
			now += second / 20
			of, f := textOf(4*tokens-tail), new(Flight)
			of.Truncated = tail > 0
			p.Prepare(f, of, nil, 4*tokens)
			p.Match(f)
			p.Return(f, f.Total/2, 0, 0)
			p.Expect(f, 0)
			p.Begin(f, 0, now)
			p.End(f, now+after, o)
		}
		for range 500 {
			ask(2000, 0, 0, Outcome{})
		}
		share := p.Returns.Share()
		if share < .2 {
			t.Fatalf("%s: the share that comes back is %v: the test has lost its point", c.name, share)
		}
		for range 500 {
			ask(2000, 0, 0, Outcome{})
			ask(200_000, c.tail, c.after, Outcome{Ending: c.how, Lost: true})
		}
		if got := p.Returns.Share(); (got < .95*share || got > 1.05*share) != c.counts {
			t.Errorf("%s: the share that comes back is %v, before %v", c.name, got, share)
		}
	}
}

// A prompt may be routed once its beginning has come. What was computed before of the rest is known by its end: what no endpoint holds any
// more counts as what comes back and as what is lost, whatever length was announced.
func TestRestOfPromptReturns(t *testing.T) {
	const tokens, read = 100_000, 16 << 10 // tokens, bytes that had come at the decision
	for _, c := range []struct {
		name      string
		again     bool // it was computed before
		evicted   bool
		meanwhile bool  // it was not, but one like it comes to its end before this one does
		length    int   // bytes announced
		since     int64 // ns: what was used before then is not lost
		kept      float64
		seen      float64 // tokens
		lost      float64 // likewise
	}{
		{"new", false, false, false, 4 * tokens, 0, 1, 0, 0},
		{"computed before, and evicted since", true, true, false, 4 * tokens, 0, 0, tokens, tokens},
		{"the same, with an image", true, true, false, 12 * tokens, 0, 0, tokens, tokens},
		{"the same, of unknown length", true, true, false, 0, 0, 0, tokens, tokens},
		{"computed before, and held", true, false, false, 4 * tokens, 0, 1, read / 4, 0},
		{"one like it comes at a time", false, false, true, 4 * tokens, 0, 1, 0, 0},
		{"computed too long ago to count as lost", true, true, false, 4 * tokens, 5 * second, 0, tokens, 0},
	} {
		p := newPool(2)
		whole := textOf(4 * tokens)
		part := *whole
		part.Text, part.Truncated, part.BodyBytes = whole.Text[:read], true, read
		ask := func(of *prompt.Prompt, meanwhile bool, now, took int64) {
			f := new(Flight)
			p.Prepare(f, of, nil, c.length)
			most := int(p.Match(f)[0])
			p.Return(f, most, 0, c.since)
			p.Expect(f, 0)
			p.Begin(f, 0, now)
			if meanwhile {
				send(p, 1, whole, now)
			}
			p.Extend(f, whole, now)
			cached := 0
			if most > 0 {
				cached = tokens
			}
			p.End(f, now+took, Outcome{Ending: health.Answered, Usage: true, PromptTokens: tokens, CachedTokens: cached})
		}
		if c.again {
			ask(whole, false, second, 0)
		}
		if c.evicted {
			p.EmptyCache(0, 0)
		}
		p.Lost = traffic.Lost{}
		for range p.Endpoints {
			p.Lost.Grow()
		}
		ask(&part, c.meanwhile, 11*second, 11*second)
		if got := p.Returns.Kept(); got != c.kept {
			t.Errorf("%s: %v of what comes back is kept, want %v", c.name, got, c.kept)
		}
		if got, want := p.Lost.Time(nil, 22*second), c.lost/tokens; math.Abs(got-want) > .13 && !c.meanwhile { // a part of one endpoint's time since
			t.Errorf("%s: %v tokens are lost, want %v", c.name, got*tokens, c.lost)
		}
		found := p.Returns.Kept() * c.seen
		p.Returns.Note(traffic.Returning{Found: tokens, All: tokens}, tokens) // all of another prompt
		if got := (found+tokens)/p.Returns.Kept() - tokens; math.Abs(got-c.seen) > .02*tokens {
			t.Errorf("%s: %v tokens come back, want %v", c.name, got, c.seen)
		}
	}
}
