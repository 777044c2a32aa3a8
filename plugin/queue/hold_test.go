package queue

import (
	"math"
	"testing"
)

func TestOthersHold(t *testing.T) {
	var p Holds
	soon, late := Turn{7, 50}, Turn{7, 60}
	p.SetOwn([]Hold{{1, 9, Turn{6, 90}}, {2, 1, soon}})
	p.SetWorkers([]Hold{{1, 3, late}, {1, 1, Turn{8, 1}}, {3, 1, soon}})
	p.SetGateways([]Hold{{1, 2, soon}, {4, 0, soon}, {1, 0, Turn{}}})
	for _, want := range []Hold{{1, 6, soon}, {2, 0, Turn{}}, {3, 1, soon}, {4, 0, Turn{}}} {
		if got := p.Others(want.Group); got != want {
			t.Errorf("elsewhere waits %+v, want %+v", got, want)
		}
	}
	for turn, want := range map[Turn]int{{6, 1}: 0, soon: 0, {7, 51}: 1, late: 1, {7, 61}: 2, {8, 0}: 2, {9, 0}: 3} {
		if got := p.Ahead(1, turn); got != want {
			t.Errorf("at %d places one goes before %+v, want %d", got, turn, want)
		}
	}
	if got := p.Proxy(nil); len(got) != 3 || got[0] != (Hold{1, 13, Turn{6, 90}}) {
		t.Errorf("at this proxy waits %v", got)
	}
	p.SetGateways(nil)
	if got := p.Others(1); got != (Hold{1, 4, late}) {
		t.Errorf("without gateways: %+v", got)
	}
	if got := AddHold([]Hold{{1, 3, soon}}, Hold{Group: 1}); got[0] != (Hold{1, 3, soon}) {
		t.Errorf("with none more: %v", got)
	}
	list := []Hold(nil)
	for group := range uint32(2 * MostHolds) {
		list = AddHold(list, Hold{Group: group, Requests: 1})
	}
	if len(list) != MostHolds {
		t.Errorf("%d groups", len(list))
	}
}

// A size spans a factor of √2, and there is one for whatever needs says.
func TestSizeOf(t *testing.T) {
	last := SizeOf(1)
	for tokens := 1.0; tokens < 1<<58; tokens *= 1.01 {
		size := SizeOf(tokens)
		if size < last || size > last+1 || SizeOf(2*tokens) != size+2 {
			t.Fatalf("%v tokens are of size %d, %v of size %d", tokens/1.01, last, tokens, size)
		}
		last = size
	}
	for tokens, want := range map[float64]uint8{0: SizeOf(1), -5: SizeOf(1), math.Inf(1): SizeOf(1 << 60)} {
		if got := SizeOf(tokens); got != want {
			t.Errorf("%v tokens: %d, want %d", tokens, got, want)
		}
	}
}
