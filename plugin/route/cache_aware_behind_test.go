package route

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/exposition"
	"warmroute/plugin/health"
	"warmroute/plugin/pool"
)

// What many wait for at the endpoint that holds it is computed at one that is idle, if so few come that nobody will wait there; and stays
// where it is if as many come all the time.
func TestIdleEndpointsComputeAgain(t *testing.T) {
	for _, c := range []struct {
		name  string
		every int64 // between the requests of the minute before
		want  int
	}{
		{"a burst in a quiet minute", 0, 1},
		{"a busy minute", second / 20, 0},
	} {
		r := newRig(setup{policy: config.PolicyCacheAware, replicas: 2}.config(), 1)
		now := second
		for i := 0; c.every > 0 && i < 60*20; i++ { // prompts that others do not begin with, and nobody waits for
			now += c.every
			d := new(decision.Decision)
			r.Pick(&decision.Request{Prompt: chat(1000+i, 16), Now: now}, d)
			r.Begin(&d.Flight, i%2, now)
			r.firstToken(d, now)
			r.end(d, now, pool.Outcome{Ending: health.Answered})
		}
		now += second
		var last decision.Decision
		for i := range 24 { // all wait at endpoint 0
			r.ApplyMetrics(0, now, &exposition.Load{Has: exposition.HasRunning | exposition.HasWaiting, Waiting: float64(i)})
			r.Tick(now)
			d := new(decision.Decision)
			r.Pick(&decision.Request{Prompt: chat(1, 256+i), Now: now}, d)
			r.Begin(&d.Flight, 0, now)
		}
		r.Pick(&decision.Request{Prompt: chat(1, 280), Now: now}, &last)
		if last.Order[0] != c.want {
			t.Errorf("%s: goes to endpoint %d, want %d: %v", c.name, last.Order[0], c.want, last.Terms)
		}
	}
}

// An endpoint whose page shows a thousand prompts that wait, always or now and then, because it lies or is broken, makes no other prompt stay
// where it is held, and none of the others' go past what is held here: nobody waits at the other endpoints.
func TestOneEndpointsPageMakesNobodyWait(t *testing.T) {
	for _, now := range []string{"always", "now and then"} {
		r := routerOf(config.PolicyCacheAware, 8)
		for i := range 60 {
			at := int64(i+1) * second
			for e := range 8 {
				l := exposition.Load{Has: exposition.HasRunning | exposition.HasWaiting}
				if e == 3 && (now == "always" || i%2 == 0) {
					l.Waiting = 1000
				}
				r.ApplyMetrics(e, at, &l)
			}
			r.Tick(at)
			r.Pick(&decision.Request{Prompt: chat(1, 20), Now: at}, new(decision.Decision))
			if here, there := r.view.waiting(), r.view.pool.OthersWaiting(); here > 0 || there > 0 {
				t.Fatalf("%s: %v prompts wait at an endpoint, and %v of others, with none at 7 of 8", now, here, there)
			}
		}
	}
}
