package route

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/health"
	"warmroute/plugin/models"
	"warmroute/plugin/pool"
)

// An endpoint that is down and alone serves a model that nobody asks for keeps none of another model from being probed.
func TestProbesOfEachModel(t *testing.T) {
	eachPolicy(t, func(t *testing.T, p config.Policy) {
		r := routerOf(p, 3)
		for i := range 3 {
			r.SetModels(i, []models.Model{models.Of([]byte{"abb"[i]}, false)})
		}
		now := int64(second)
		for i := range 2 {
			for range 3 {
				r.answer(i, now, health.Refused)
			}
		}
		if !r.Health.Down(0) || !r.Health.Down(1) {
			t.Fatal("they are not down")
		}
		d := new(decision.Decision)
		for n := range 120 {
			now += second
			req := &decision.Request{Model: []byte("b"), Prompt: chat(n, 2), Now: now}
			req.Prompt.Model = req.Model
			r.Pick(req, d)
			r.begin(d, now)
			r.end(d, now+second/2, pool.Outcome{Ending: health.Answered}) // all are well now
		}
		if r.Health.Down(1) {
			t.Error("after two minutes of requests for its model it was not tried again")
		}
		if !r.Health.Down(0) {
			t.Error("one that does not serve their model got some")
		}
	})
}
