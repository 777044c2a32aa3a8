package route

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/health"
	"warmroute/plugin/pool"
)

// A long beginning that most prompts share comes to all endpoints though none is busy; one that comes now and then stays
// where it is.
func TestHotBeginningSpreads(t *testing.T) {
	for _, c := range []struct {
		name        string
		every       int64
		least, most int // endpoints that hold it in the end
	}{
		{"20 a second", second / 20, 8, 8},
		{"one in 20 seconds", 20 * second, 1, 2},
	} {
		r := newRig(setup{policy: config.PolicyCacheAware, replicas: 8}.config(), 1)
		hot := chat(1, 64)
		open := []*decision.Decision{}
		at := map[int]bool{}
		for i := range 1200 {
			now := second + int64(i)*c.every
			d := new(decision.Decision)
			r.Pick(&decision.Request{Prompt: hot, Now: now}, d)
			at[d.Order[0]] = true
			r.begin(d, now)
			r.firstToken(d, now)
			if open = append(open, d); len(open) > 8 {
				r.end(open[0], now, pool.Outcome{Ending: health.Answered})
				open = open[1:]
			}
		}
		if len(at) < c.least || len(at) > c.most {
			t.Errorf("%s: held by %d endpoints, want %d to %d", c.name, len(at), c.least, c.most)
		}
	}
}

// Many prompts that begin alike within seconds, and are long in being answered, get more endpoints than as many that come over minutes.
func TestBurstOnOneBeginningSpreads(t *testing.T) {
	holders := func(every int64) int {
		r := newRig(setup{policy: config.PolicyCacheAware, replicas: 8}.config(), 1)
		at := map[int]bool{}
		for i := range int64(80) {
			now := second + i*every
			d := new(decision.Decision)
			r.Pick(&decision.Request{Prompt: chat(1, 20), Now: now}, d)
			at[d.Order[0]] = true
			r.begin(d, now)
			r.firstToken(d, now+second/100)
			if every > second {
				r.end(d, now+every, pool.Outcome{Ending: health.Answered})
			}
		}
		return len(at)
	}
	if burst, slowly := holders(second/20), holders(5*second); burst < 8 || slowly > 2 {
		t.Errorf("%d endpoints hold it after a burst, %d after as many one by one; want all 8 and 2 at most", burst, slowly)
	}
}
