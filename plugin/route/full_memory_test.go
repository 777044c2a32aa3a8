package route

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/exposition"
	"warmroute/plugin/traffic"
)

// Where memory is short conversations stay where they are held, wherever the ring has their homes: memory may be short for a moment, and each that
// is moved is computed again.
func TestFullMemoryMovesNothing(t *testing.T) {
	for n := range 12 {
		r := routerOf(config.PolicyCacheAware, 3)
		r.turn(n, 100, second)
		for i := range 3 {
			r.ApplyMetrics(i, 4*second, &exposition.Load{Has: tellsMemory, Running: 20, KVTokens: 100_000, KVUsage: 0.95})
		}
		r.view.pool.Returns.Note(traffic.Returning{All: 1e9, Found: 5e8}, 5e8)
		for i := range 3 {
			d := new(decision.Decision)
			r.Prepare(&d.Flight, chat(10*n+i, 40), nil, 0)
			r.view.pool.Index.Insert(i, &d.Flight.Chain, 1)
			r.Pick(&decision.Request{Prompt: chat(10*n+i, 40), Now: 4 * second}, d)
			if d.Order[0] != i || d.Reason != decision.ByMatch {
				t.Errorf("conversation %d of endpoint %d goes to %d by %v", 10*n+i, i, d.Order[0], d.Reason)
			}
		}
	}
}
