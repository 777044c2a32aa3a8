package route

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/exposition"
)

// One page that claims what no card has does not say for all whether memory is short: it counts for no more than all others together. Of two endpoints
// nobody knows which one lies.
func TestOneClaimOfMemoryIsNotAll(t *testing.T) {
	for _, c := range []struct {
		name         string
		claim, usage float64   // of the endpoint that may lie
		others       []float64 // use of those that have 400,000 tokens
		short        bool
	}{
		{"a full memory that no card has", 1e12, 1, []float64{.1, .1, .1}, false},
		{"the same, of as much as is possible", 1e18, 1, []float64{.1, .1, .1}, false},
		{"the same, and the others' are nearly full", 1e12, 1, []float64{.82, .82, .82}, true},
		{"the others' are full, and half of all is not", 1e12, .7, []float64{.95, .95, .95}, false},
		{"twice as much as others have, and all are full", 800_000, .95, []float64{.9, .9, .9}, true},
		{"two endpoints", 1e12, 1, []float64{.1}, true},
	} {
		r := routerOf(config.PolicyCacheAware, 1+len(c.others))
		r.turn(1, 100, second)
		for i, usage := range append([]float64{c.usage}, c.others...) {
			load := &exposition.Load{Has: tellsMemory, Running: 20, KVTokens: 400_000, KVUsage: usage}
			if i == 0 {
				load.KVTokens = c.claim
			}
			r.ApplyMetrics(i, 4*second, load)
		}
		r.Pick(&decision.Request{Prompt: chat(2, 2), Now: 4 * second}, new(decision.Decision))
		if s := &r.view.shares; s.live >= full*s.room != c.short {
			t.Errorf("%s: %.0f of %.0f tokens in use", c.name, s.live, s.room)
		}
	}
}
