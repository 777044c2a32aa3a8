package pool

import (
	"math"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/models"
)

func TestOthersHold(t *testing.T) {
	p := newPool(1)
	soon, late := Turn{7, 50}, Turn{7, 60}
	p.SetHolds([]Hold{{1, 9, Turn{6, 90}}, {2, 1, soon}})
	p.SetWorkersHolds([]Hold{{1, 3, late}, {1, 1, Turn{8, 1}}, {3, 1, soon}})
	p.SetGatewaysHolds([]Hold{{1, 2, soon}, {4, 0, soon}, {1, 0, Turn{}}})
	for _, want := range []Hold{{1, 6, soon}, {2, 0, Turn{}}, {3, 1, soon}, {4, 0, Turn{}}} {
		if got := p.OthersHold(want.Group); got != want {
			t.Errorf("elsewhere waits %+v, want %+v", got, want)
		}
	}
	for turn, want := range map[Turn]int{{6, 1}: 0, soon: 0, {7, 51}: 1, late: 1, {7, 61}: 2, {8, 0}: 2, {9, 0}: 3} {
		if got := p.Ahead(1, turn); got != want {
			t.Errorf("at %d places one goes before %+v, want %d", got, turn, want)
		}
	}
	if got := p.ProxyHolds(nil); len(got) != 3 || got[0] != (Hold{1, 13, Turn{6, 90}}) {
		t.Errorf("at this proxy waits %v", got)
	}
	p.ClearGateways()
	if got := p.OthersHold(1); got != (Hold{1, 4, late}) {
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

// A group has one name in all gateways, however they number its endpoints, and another than other groups.
func TestGroupName(t *testing.T) {
	named := func(order ...int) (of [2]uint32) {
		p := newPool(0)
		for i, e := range order {
			p.Place(i, config.Endpoint{Address: []string{"10.0.0.1:80", "10.0.0.2:80", "10.0.0.3:80"}[e], Weight: 1}, 0)
			p.SetModels(i, []models.Model{models.Of([]byte{"aab"[e]}, false)})
		}
		return [2]uint32{p.GroupName([]byte("a")), p.GroupName([]byte("b"))}
	}
	a, b := named(0, 1, 2), named(2, 1, 0)
	if a != b || a[0] == a[1] || a[0] == 0 {
		t.Errorf("names %v and %v", a, b)
	}
	late := newPool(0) // of one endpoint the list is not known yet
	for i, address := range []string{"10.0.0.1:80", "10.0.0.2:80", "10.0.0.3:80", "10.0.0.4:80"} {
		late.Place(i, config.Endpoint{Address: address, Weight: 1}, 0)
		if i < 3 {
			late.SetModels(i, []models.Model{models.Of([]byte{"aab"[i]}, false)})
		}
	}
	if got := late.GroupName([]byte("a")); got != a[0] {
		t.Errorf("while one list is not known: %d, want %d", got, a[0])
	}
	if got := newPool(3).GroupName([]byte("a")); got != 0 {
		t.Errorf("where all serve it: %d", got)
	}
}
