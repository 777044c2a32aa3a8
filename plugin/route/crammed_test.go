package route

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/exposition"
	"warmroute/plugin/pool"
)

// Where memory is short the ring decides, but only where so many requests are at each endpoint that its homes are even.
func TestRingTakesManyRequests(t *testing.T) {
	for _, c := range []struct {
		name     string
		requests int     // at each
		used     float64 // share of the memory
		ring     bool
	}{
		{"many, and memory is short", 20, 0.95, true},
		{"many, and it is not", 20, 0.5, false},
		{"few long ones", 7, 0.95, false},
	} {
		r := newRig(setup{policy: config.PolicyCacheAware, replicas: 3}.config(), 1)
		for i := range 3 {
			r.ApplyMetrics(i, 1, &exposition.Load{Has: exposition.HasRunning | exposition.HasWaiting | exposition.HasKVTokens | exposition.HasKVUsage,
				Running: float64(c.requests), KVTokens: 100_000, KVUsage: c.used})
			r.SetPeers(i, c.requests, 0, pool.Line{})
		}
		d := new(Decision)
		r.Pick(&Request{Prompt: chat(1, 2), Now: 2}, d)
		if onRing := d.Reason == AtHome || d.Reason == HomeAway; onRing != c.ring {
			t.Errorf("%s: %v", c.name, d.Reason)
		}
	}
}
