package pool

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/models"
)

func TestOthersHold(t *testing.T) {
	p := newPool(1)
	p.SetHolds([]Hold{{1, 9, 10}, {2, 1, 7}})
	p.SetWorkersHolds([]Hold{{1, 3, 500}, {3, 1, 1}})
	p.SetGatewaysHolds([]Hold{{1, 2, 400}, {4, 0, 1}})
	for _, want := range []Hold{{1, 5, 400}, {2, 0, 0}, {3, 1, 1}, {4, 0, 0}} {
		if got := p.OthersHold(want.Group); got != want {
			t.Errorf("elsewhere waits %+v, want %+v", got, want)
		}
	}
	if got := p.ProxyHolds(nil); len(got) != 3 || got[0] != (Hold{1, 12, 10}) {
		t.Errorf("at this proxy waits %v", got)
	}
	h := p.OthersHold(1)
	if h.Before(500) || !h.Before(600) {
		t.Error("one that needs 400 tokens goes before another that needs 500, or not before one that needs 600")
	}
	p.ClearGateways()
	if got := p.OthersHold(1); got != (Hold{1, 3, 500}) {
		t.Errorf("without gateways: %+v", got)
	}
	if got := AddHold([]Hold{{1, 3, 500}}, Hold{Group: 1}); got[0] != (Hold{1, 3, 500}) {
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
