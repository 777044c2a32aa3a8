package pool

import (
	"math"
	"testing"
)

// What requests lost at an endpoint fades with time and counts for those of other workers, too; of a few nothing is sure, and a conversation
// that leaves takes its price off.
func TestThrash(t *testing.T) {
	p := newPool(2)
	sure := func(i int, share float64, now int64) float64 {
		_, tokens := p.Thrash(i, share, now)
		return tokens
	}
	for range fewLosses {
		p.NoteThrash(0, 1000, second)
	}
	if got := sure(0, 1, second); got != 0 {
		t.Errorf("after %d losses %v tokens are sure, want 0", fewLosses, got)
	}
	if got, _ := p.Thrash(0, 0.5, second); math.Abs(got-4000) > 1 {
		t.Errorf("after %d losses of 1,000 tokens by half of the requests %v, want 4,000", fewLosses, got)
	}
	for range 3 * fewLosses {
		p.NoteThrash(0, 1000, second)
	}
	want := 4 * fewLosses * 1000 * 0.5 // less √(1 ÷ 4)
	if got := sure(0, 1, second); math.Abs(got-want) > 1 {
		t.Errorf("after %d losses of 1,000 tokens %v, want %v", 4*fewLosses, got, want)
	}
	if got := sure(0, 0.25, second); math.Abs(got-4*want) > 1 {
		t.Errorf("by a quarter of the requests %v tokens, want %v", got, 4*want)
	}
	if got := sure(1, 1, second); got != 0 {
		t.Errorf("at the other endpoint %v tokens", got)
	}
	if got := sure(0, 1, second+thrashSpan/2); got <= 0 || got > 0.6*want {
		t.Errorf("half the span later %v tokens of %v", got, want)
	}
	if got := sure(0, 1, 0); math.Abs(got-want) > 1 { // the clock was set back
		t.Errorf("a second before %v tokens, want %v", got, want)
	}
	p.NoteThrash(0, -5000, second)
	if got := sure(0, 1, second); math.Abs(got-1500) > 1 {
		t.Errorf("after a conversation left for 5,000 tokens %v, want 1,500", got)
	}
	p.NoteThrash(0, -1e9, second)
	if got := sure(0, 1, second); got != 0 {
		t.Errorf("after one left for more than was lost %v tokens", got)
	}
}
