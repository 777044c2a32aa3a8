package route

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/health"
	"warmroute/plugin/pool"
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

// A conversation stays where it is held, though there are more responses, if answers are short; of long ones, whose every step takes longer
// there, it takes the quiet endpoint.
func TestLongAnswersLeaveTheCrowd(t *testing.T) {
	for _, c := range []struct{ answer, want int }{{100, 0}, {1500, 1}, {1_000_000_000, 1}} {
		r := newRig(setup{policy: config.PolicyCacheAware, replicas: 2}.config(), 1)
		send := func(i, turns, endpoint int, at int64) *decision.Decision {
			d := new(decision.Decision)
			r.Pick(&decision.Request{Prompt: chat(i, turns), Now: at}, d)
			if endpoint >= 0 {
				r.Begin(&d.Flight, endpoint, at)
				r.firstToken(d, at+second/10)
			}
			return d
		}
		for i := range 100 {
			d := send(i, 1, i%2, second)
			r.end(d, 2*second, pool.Outcome{Ending: health.Answered, Usage: true, PromptTokens: 30, OutputTokens: c.answer})
		}
		send(200, 14, 0, 3*second)
		for i := range 12 {
			send(300+i, 1, 0, 3*second)
		}
		if d := send(200, 16, -1, 900*second); d.Order[0] != c.want {
			t.Errorf("answers of %d tokens: it goes to endpoint %d, want %d: %v", c.answer, d.Order[0], c.want, d.Terms)
		}
	}
}
