package route

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/pool"
)

// A short prompt that waits far too long shows that something holds its endpoint up. Then the next goes elsewhere, though only few tokens are
// queued there and more must be computed again.
func TestLateEndpointsAreLeft(t *testing.T) {
	for _, c := range []struct {
		name   string
		late   int64
		leaves bool
	}{
		{"just sent", 0, false},
		{"late", 20 * second, true},
	} {
		r := newRig(setup{policy: config.PolicyCacheAware, replicas: 2}.config(), 1)
		now := second
		for i := range 40 { // a pool that is idle: a token takes 100 µs
			d := new(Decision)
			r.Pick(&Request{Prompt: chat(10+i, 64+i), Now: now}, d)
			r.Begin(&d.Flight, d.Order[0], now)
			took := int64(d.Tokens * 1e5)
			now += took
			r.firstToken(d, now)
			r.end(d, now, pool.Outcome{Ending: pool.Answered, Usage: true, PromptTokens: int(d.Tokens), TTFT: took})
			now += second / 10
		}
		send := func(units int) *Decision {
			d := new(Decision)
			r.Pick(&Request{Prompt: chat(1, units), Now: now}, d)
			r.Begin(&d.Flight, d.Order[0], now)
			return d
		}
		first := send(256)
		now += second
		r.firstToken(first, now)
		r.end(first, now, pool.Outcome{Ending: pool.Answered})
		home := send(257).Order[0]
		now += c.late
		if got := send(258).Order[0]; (got == home) == c.leaves {
			t.Errorf("%s: it goes to endpoint %d, those before went to %d", c.name, got, home)
		}
	}
}
