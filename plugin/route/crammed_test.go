package route

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/exposition"
	"warmroute/plugin/traffic"
)

// Where memory is short the ring decides, but only where each endpoint has memory for so many prompts that its homes are even, and if
// conversations come back and find what they left.
func TestRingTakesManyRequests(t *testing.T) {
	for _, c := range []struct {
		name    string
		tokens  int     // of a prompt
		used    float64 // share of the memory
		returns float64 // share of tokens that one endpoint alone holds
		lost    float64 // likewise, that none holds any more
		ring    bool
	}{
		{"many fit, and memory is short", 5000, 0.95, 0.5, 0, true},
		{"many fit, and it is not", 5000, 0.5, 0.5, 0, false},
		{"few long ones fit", 15_000, 0.95, 0.5, 0, false},
		{"they come back too late", 5000, 0.95, 0.5, 0.4, false},
		{"prompts do not come back", 5000, 0.95, 0.1, 0, false},
	} {
		r := routerOf(config.PolicyCacheAware, 3)
		r.turn(1, c.tokens/32, second) // a turn of chat has 128 bytes, taken for 32 tokens
		for i := range 3 {
			r.ApplyMetrics(i, 4*second, &exposition.Load{Has: tellsMemory,
				Running: 20, KVTokens: 100_000, KVUsage: c.used})
		}
		r.view.pool.Returns.Note(traffic.Returning{All: 1e9, Found: 1e9 * c.returns}, 1e9*(c.returns+c.lost))
		d := new(decision.Decision)
		r.Pick(&decision.Request{Prompt: chat(2, 2), Now: 4 * second}, d)
		if onRing := d.Reason == decision.AtHome || d.Reason == decision.HomeAway || d.Reason == decision.Bounded; onRing != c.ring {
			t.Errorf("%s: %v; prompts of %.0f tokens", c.name, d.Reason, r.Stays.MeanTokens())
		}
	}
}
