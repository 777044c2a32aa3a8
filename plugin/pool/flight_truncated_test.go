package pool

import (
	"math"
	"testing"
)

// A prompt of which its server keeps a few tokens counts as those, and neither takes nor gets a place in the index, whenever the body says so.
func TestTruncatedPromptsCountAsWhatIsKept(t *testing.T) {
	const kept = 16
	for _, stream := range []bool{true, false} {
		for _, late := range []bool{false, true} {
			p, now := believing(640)
			p.SetCache(0, 665_000) // there is room for as much as comes before the body says so
			before, first := p.Index.Held(0), fresh(80_000)
			_, had := p.OwnWork(0, now+1)
			first.Stream, first.Truncated = stream, late
			whole := fresh(4_000_000)
			whole.Stream, whole.Atypical, whole.Keeps = stream, true, kept
			if !late {
				first = whole
			}
			f := send(p, 0, first, now)
			if late {
				p.Extend(f, whole, now+1)
			}
			_, work := p.OwnWork(0, now+1)
			if q := p.Queue(0, now+1); q > kept || math.Abs(work-had-kept) > 0.01 {
				t.Errorf("stream %v, late %v: %v tokens are queued, and %v of work; want %v", stream, late, q, work-had, kept)
			}
			p.FirstToken(f, now+second/100)
			p.End(f, now+second, Outcome{Usage: true, PromptTokens: kept})
			if held := p.Index.Held(0); held != before {
				t.Errorf("stream %v, late %v: the index has %d bytes, and had %d", stream, late, held, before)
			}
			if f := send(p, 0, numbered(0), now); f.Matched == 0 {
				t.Errorf("stream %v, late %v: what was used longest ago was evicted", stream, late)
			}
		}
	}
	p, now := believing(640)
	whole := fresh(4000)
	whole.Keeps = 2000
	if f := send(p, 0, whole, now); f.Total == 0 || f.Tokens < 900 {
		t.Errorf("of a prompt that is kept whole there are %d blocks and %v tokens", f.Total, f.Tokens)
	}
}
