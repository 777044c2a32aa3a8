package route

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/models"
	"warmroute/plugin/prompt"
)

// Where the best endpoints are ranks of one server, the next try goes to another server that serves the model, too, however idle one is that
// does not.
func TestRanksServeTheModel(t *testing.T) {
	const ranks = 4
	for policy := range config.Policies {
		cfg, err := config.Parse([]byte(`{"policy":"` + policy.String() + `","data_parallel_ranks":4,"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80"]}`))
		if err != nil {
			t.Fatal(err)
		}
		r := newRig(&cfg, 1)
		for i := range r.Endpoints {
			r.SetModels(i, []models.Model{models.Of([]byte([]string{"a", "b", "a"}[i/ranks]), false)})
			r.add(i, []int{2, 1, 9}[i/ranks])
		}
		for n := range byte(20) {
			var d decision.Decision
			req := &decision.Request{Model: []byte("a"), Now: second}
			req.Prompt = &prompt.Prompt{Model: req.Model, Text: []byte{'a' + n, 1, 2, 3, 4, 5, 6, 7}, Stream: true}
			r.Pick(req, &d)
			if got := []int{d.Order[0] / ranks, d.Order[1] / ranks, d.Order[2] / ranks}; got[0] == 1 || got[1] == 1 || got[2] != 1 {
				t.Fatalf("%v: the servers %v are tried, and the second does not serve the model", policy, got)
			}
		}
	}
}
