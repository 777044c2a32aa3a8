package pool

import (
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
