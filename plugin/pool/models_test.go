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
