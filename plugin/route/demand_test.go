package route

import (
	"testing"

	"warmroute/plugin/config"
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
		open := []*Decision{}
		at := map[int]bool{}
		for i := range 1200 {
			now := second + int64(i)*c.every
			d := new(Decision)
			r.Pick(&Request{Prompt: hot, Now: now}, d)
			at[d.Order[0]] = true
			r.begin(d, now)
			r.firstToken(d, now)
			if open = append(open, d); len(open) > 8 {
				r.end(open[0], now, pool.Outcome{Ending: pool.Answered})
				open = open[1:]
			}
		}
		if len(at) < c.least || len(at) > c.most {
			t.Errorf("%s: held by %d endpoints, want %d to %d", c.name, len(at), c.least, c.most)
		}
	}
}
