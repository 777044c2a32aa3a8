package route

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
)

// A short new prompt goes where the step that computes it is shorter: to many responses with short contexts rather than to a few with
// long ones, each of which is read in every step.
func TestLongContextsMakeStepsLonger(t *testing.T) {
	for _, c := range []struct {
		name        string
		turns, want int // of the two responses at endpoint 0, beside six of one turn at endpoint 1; where the prompt goes
	}{
		{"short contexts", 1, 0},
		{"contexts of 40,000 tokens", 1250, 1},
	} {
		r := newRig(setup{policy: config.PolicyCacheAware, replicas: 2}.config(), 1)
		for i := range 8 {
			endpoint, turns := 1, 1
			if i < 2 {
				endpoint, turns = 0, c.turns
			}
			d := new(decision.Decision)
			r.Pick(&decision.Request{Prompt: chat(i, turns), Now: second}, d)
			r.Begin(&d.Flight, endpoint, second)
			r.firstToken(d, 2*second)
		}
		d := new(decision.Decision)
		r.Pick(&decision.Request{Prompt: chat(99, 1), Now: 900 * second}, d) // what was given is forgotten
		if d.Order[0] != c.want {
			t.Errorf("%s: the prompt goes to endpoint %d, want %d: %v", c.name, d.Order[0], c.want, d.Terms)
		}
	}
}
