package route

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/exposition"
	"warmroute/plugin/pool"
)

// Where memory is short the ring decides, but only where so many requests are at each endpoint that its homes are even, and where
// endpoints differ in speed, only if conversations come back.
func TestRingTakesManyRequests(t *testing.T) {
	for _, c := range []struct {
		name     string
		requests int     // at each
		used     float64 // share of the memory
		slow     float64 // × the time that others take, of one endpoint
		returns  float64 // share of tokens that one endpoint alone holds
		ring     bool
	}{
		{"many, and memory is short", 20, 0.95, 1, 0, true},
		{"many, and it is not", 20, 0.5, 1, 0, false},
		{"few long ones", 7, 0.95, 1, 0, false},
		{"one endpoint is slow", 20, 0.95, 5, 0.1, false},
		{"one is slow, and conversations come back", 20, 0.95, 5, 0.5, true},
	} {
		r := newRig(setup{policy: config.PolicyCacheAware, replicas: 3}.config(), 1)
		for i := range 3 {
			r.ApplyMetrics(i, 1, &exposition.Load{Has: exposition.HasRunning | exposition.HasWaiting | exposition.HasKVTokens | exposition.HasKVUsage,
				Running: float64(c.requests), KVTokens: 100_000, KVUsage: c.used})
			r.SetPeers(i, c.requests, 0, pool.Line{})
		}
		r.view.pool.NoteReturning(1e6, 1e6*c.returns)
		all, speeds := pool.Sums{}, [3]pool.Sums{}
		for i := range 3 {
			perToken := 1e-4
			if i == 2 {
				perToken *= c.slow
			}
			var s pool.Sums
			for k := range 50 {
				x := float64(100 * (k + 1))
				y := x * perToken
				s = s.Plus(&pool.Sums{1, 1, x, y, x * x, x * y, y * y}, 1)
			}
			all = all.Plus(&s, 1)
			speeds[i] = s
		}
		r.SetToldSpeed(-1, &all)
		for i := range speeds {
			r.SetToldSpeed(i, &speeds[i])
		}
		d := new(Decision)
		r.Pick(&Request{Prompt: chat(1, 2), Now: 2}, d)
		if onRing := d.Reason == AtHome || d.Reason == HomeAway; onRing != c.ring {
			t.Errorf("%s: %v", c.name, d.Reason)
		}
	}
}
