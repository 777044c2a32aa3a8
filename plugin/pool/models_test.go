package pool

import (
	"slices"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/models"
)

// A model is unlisted only once every endpoint has a list, and none has it in it.
func TestUnlisted(t *testing.T) {
	cfg, err := config.Parse([]byte(`{"endpoints":["10.0.0.1:80","10.0.0.2:80"]}`))
	if err != nil {
		t.Fatal(err)
	}
	p := New(&cfg, 1<<20)
	list := func(name string) []models.Model { return []models.Model{models.Of([]byte(name), false)} }
	apple, pear := list("apple"), list("pear")
	check := func(when string, unlisted ...string) {
		t.Helper()
		for _, model := range []string{"apple", "pear", "plum", ""} {
			want := false
			for _, u := range unlisted {
				want = want || u == model
			}
			if got := p.Unlisted([]byte(model)); got != want {
				t.Errorf("%s: %q unlisted is %v", when, model, got)
			}
		}
	}
	check("without lists")
	p.SetModels(0, apple)
	check("with one of two")
	p.SetModels(1, pear)
	check("with both", "plum")
	p.SetModels(1, apple)
	check("after a rollout", "pear", "plum")
	p.SetModels(1, nil)
	check("after a fault")
}

// Models differ once two endpoints that are there list different ones.
func TestModelsDiffer(t *testing.T) {
	p := newPool(3)
	list := func(names ...string) (all []models.Model) {
		for _, name := range names {
			all = append(all, models.Of([]byte(name), false))
		}
		return all
	}
	for _, c := range []struct {
		i    int
		list []models.Model
		want bool
	}{
		{0, list("apple"), false}, {1, list("apple"), false}, {2, list("pear"), true}, {2, nil, false}, {2, list("apple", "pear"), true}, {2, list("apple"), false},
	} {
		p.SetModels(c.i, c.list)
		if got := p.ModelsDiffer(); got != c.want {
			t.Errorf("once endpoint %d lists %v: %v, want %v", c.i, c.list, got, c.want)
		}
	}
}

// A list that is told again costs nothing: there may be a thousand endpoints with hundreds of adapters each.
func TestListsToldAgain(t *testing.T) {
	p := newPool(2)
	lists := [2][]models.Model{{models.Of([]byte("apple"), false), models.Of([]byte("pear"), true)}, {}}
	tell := func() {
		for i, list := range lists {
			p.SetModels(i, slices.Clone(list))
		}
	}
	tell()
	if n := testing.AllocsPerRun(10, tell); n > 1 { // the clone
		t.Errorf("%v allocations", n)
	}
	if p.SetModels(1, nil); p.Unlisted([]byte("plum")) {
		t.Error("an empty list is not one that is not known")
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
