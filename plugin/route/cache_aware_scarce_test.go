package route

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/exposition"
	"warmroute/plugin/queue"
)

// A prompt leaves the endpoint that holds it for a queue there while most of the pool's memory is idle, and stays for the same queue where it
// is live: what it would compute elsewhere takes memory from others.
func TestMemoryIsScarce(t *testing.T) {
	const room, start, queued = 100_000, 1000 * second, 2200 // more than the prompt's 1,312 tokens, less than three times as many
	for _, c := range []struct {
		live  float64 // share of the memory
		stays bool
	}{{0.1, false}, {half, false}, {0.8, true}, {0.88, true}} {
		r := routerOf(config.PolicyCacheAware, 3)
		home := r.turn(1, 40, start)
		now := start + 600*second
		for i := range 3 {
			r.ApplyMetrics(i, now, &exposition.Load{Has: tellsMemory, Running: 4, KVTokens: room, KVUsage: c.live})
		}
		r.SetWorkers(home, 0, 0, queue.Line{Queued: queued})
		again := new(decision.Decision)
		r.Pick(&decision.Request{Prompt: chat(1, 41), Now: now}, again)
		if (again.Order[0] == home) != c.stays {
			t.Errorf("%.2f of the memory is live: at %d by %v, where it was before: %d", c.live, again.Order[0], again.Reason, home)
		}
	}
}

// Where metrics tell no memory, or half of it is idle, a token counts once.
func TestScarcity(t *testing.T) {
	for _, c := range []struct{ live, room, want float64 }{
		{1000, 0, 1}, {0, 0, 1}, {500, 1000, 1}, {700, 1000, 1 + scarce/2.}, {900, 1000, 1 + scarce}, {5000, 1000, 1 + scarce},
	} {
		v := view{shares: share{live: c.live, room: c.room}}
		if got := v.scarcity(); got < c.want-1e-9 || got > c.want+1e-9 {
			t.Errorf("%v of %v tokens live: %v, not %v", c.live, c.room, got, c.want)
		}
	}
}
