package share

import (
	"testing"

	"warmroute/plugin/pool"
	"warmroute/plugin/share/memstore"
)

// What waits at one worker, the others know from its next heartbeat on, until it is gone; and what waits at other gateways.
func TestHoldsAreTold(t *testing.T) {
	m := memstore.New()
	a, b := newWorker(t, m, two, 0), newWorker(t, m, two, 0)
	a.EnableGateways("x")
	b.EnableGateways("x")
	a.RecordRouted(0, sent(chainOf(1), 0), 0)
	a.pool.SetHolds([]pool.Hold{{Group: 0, Requests: 3, Least: 512}, {Group: 7, Requests: 1 << 20, Least: 64}})
	a.Tick(1e9)
	b.Tick(1e9)
	b.Sync(1e9)
	if got := b.pool.OthersHold(0); got != (pool.Hold{Requests: 3, Least: 512}) {
		t.Errorf("of a: %+v", got)
	}
	if got := b.pool.OthersHold(7); got != (pool.Hold{Group: 7, Requests: 1<<16 - 1, Least: 64}) {
		t.Errorf("of a's other group: %+v", got)
	}
	if got := b.matched(0, chainOf(1)); got != 3 {
		t.Errorf("of the log behind it %d blocks are known", got)
	}
	a.PublishGateways(1, true, 0, 0, 0, func(int) GatewayLoad { return GatewayLoad{InFlight: 4} }, []pool.Hold{{Requests: 2, Least: 128}}, 1e9, 0)
	b.Sync(1e9 + 1e8)
	if got := b.pool.OthersHold(0); got != (pool.Hold{Requests: 5, Least: 128}) || b.pool.Counted(1) != 4 {
		t.Errorf("with other gateways: %+v, %v in flight there", got, b.pool.Counted(1))
	}
	b.Tick(1e9 + maxAge + 1)
	b.Sync(1e9 + maxAge + 1)
	if got := b.pool.OthersHold(0); got.Requests != 0 {
		t.Errorf("after all are gone: %+v", got)
	}
}
