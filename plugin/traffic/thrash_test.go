package traffic

import (
	"math"
	"testing"
)

// What requests lost at an endpoint fades with time and counts for all workers; of a few nothing is sure, and a conversation that leaves
// takes its price off.
func TestThrash(t *testing.T) {
	const second = int64(1e9)
	of := new([2]Thrashing) // by endpoint
	sure := func(i int, now int64) float64 {
		_, tokens := of[i].All(now)
		return tokens
	}
	for range fewLosses {
		of[0].Note(1000, second)
	}
	if got := sure(0, second); got != 0 {
		t.Errorf("after %d losses %v tokens are sure, want 0", fewLosses, got)
	}
	of[0].SetOthers(Thrash{3 * fewLosses, 3 * fewLosses * 1000})
	want := 4 * fewLosses * 1000 * 0.5 // less √(1 ÷ 4)
	if got := sure(0, second); math.Abs(got-want) > 1 {
		t.Errorf("after %d losses of 1,000 tokens, a quarter of them its own, %v, want %v", 4*fewLosses, got, want)
	}
	if got := of[0].Own(second); got != (Thrash{fewLosses, fewLosses * 1000}) {
		t.Errorf("it tells %+v, others' losses among them", got)
	}
	if got := sure(1, second); got != 0 {
		t.Errorf("at the other endpoint %v tokens", got)
	}
	if got := of[0].Own(second + thrashSpan/2).Tokens; got <= 0 || got > 0.61*fewLosses*1000 {
		t.Errorf("half the span later it tells %v tokens of %v", got, fewLosses*1000)
	}
	if got := sure(0, 0); math.Abs(got-want) > 1 { // the clock was set back
		t.Errorf("a second before %v tokens, want %v", got, want)
	}
	of[0].Note(-5000, second) // more than it has lost itself
	if got := sure(0, second); math.Abs(got-1500) > 1 {
		t.Errorf("after a conversation left for 5,000 tokens %v, want 1,500", got)
	}
	if got := of[0].Own(second).Tokens; got != -3000 {
		t.Errorf("it tells %v tokens, want 2,000 less 5,000", got)
	}
	of[0].Note(-1e9, second)
	if got := sure(0, second); got != 0 {
		t.Errorf("after one left for more than was lost %v tokens", got)
	}
	of[0].SetOthers(Thrash{3 * fewLosses, 0}) // another one has paid for the same losses at that time
	if got, _ := of[0].All(second); got != 0 {
		t.Errorf("after both have paid for what was lost %v tokens", got)
	}
}
