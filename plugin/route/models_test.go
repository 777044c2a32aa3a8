package route

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/health"
	"warmroute/plugin/models"
	"warmroute/plugin/prompt"
)

// Whatever the policy, a request goes where its model is served, as far as lists say; the others come last.
func TestModelsAreServed(t *testing.T) {
	list := func(names ...string) []models.Model {
		l := []models.Model{}
		for _, name := range names {
			l = append(l, models.Of([]byte(name), name == "adapter"))
		}
		return l
	}
	for policy := range config.Policies {
		cfg, err := config.Parse([]byte(`{"policy":"` + policy.String() + `","steer":{"candidates":4},"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80","10.0.0.4:80"]}`))
		if err != nil {
			t.Fatal(err)
		}
		r := newRig(&cfg, 1)
		first := func(model string, n int) (int, *decision.Decision) {
			var d decision.Decision
			req := &decision.Request{Model: []byte(model), Now: second}
			if n%4 > 0 {
				req.Prompt = &prompt.Prompt{Model: req.Model, Text: []byte{'a' + byte(n), 1, 2, 3, 4, 5, 6, 7}, Stream: true}
			}
			r.Pick(req, &d)
			if len(d.Order) != r.Size() {
				t.Fatalf("%v: %d endpoints in the order, want %d", policy, len(d.Order), r.Size())
			}
			return d.Order[0], &d
		}
		want := func(when, model string, may ...int) {
			t.Helper()
			got := map[int]bool{}
			for n := range 40 {
				i, d := first(model, n)
				got[i] = true
				for _, m := range may {
					if i == m {
						i = -1
					}
				}
				if i >= 0 {
					t.Fatalf("%v, %s: %q goes to %d: %s", policy, when, model, i, d.Append(nil, r.Endpoints))
				}
			}
			if policy != config.PolicyExpectedTTFT && len(may) == 4 && len(got) < 2 {
				t.Errorf("%v, %s: %q goes to %v alone", policy, when, model, got)
			}
		}
		want("before any list", "a", 0, 1, 2, 3)
		r.SetModels(0, list("a", "adapter"))
		r.SetModels(1, list("b"))
		r.SetModels(2, list("a", "b"))
		want("the fourth list is not known", "a", 0, 2, 3)
		r.SetModels(3, list())
		want("all are known", "a", 0, 2)
		want("all are known", "adapter", 0)
		want("nobody serves it", "c", 0, 1, 2, 3)
		want("no model", "", 0, 1, 2, 3)
		r.SetState(0, true, false, second)
		want("the only one is out", "adapter", 0)
		want("one of two is out", "a", 2)
		r.Remove(0)
		want("nobody is left that serves it", "adapter", 1, 2, 3)
		r.SetModels(3, list("a"))
		want("one has loaded it", "a", 2, 3)
		for range 3 {
			r.answer(1, second, health.Refused)
		}
		want("a probe is due elsewhere", "a", 2, 3)
	}
}
