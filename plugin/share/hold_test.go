package share

import (
	"testing"

	"warmroute/plugin/queue"
	"warmroute/plugin/share/memstore"
)

// What waits at one worker, the others know from its next heartbeat on, until it is gone; and what waits at other gateways.
func TestHoldsAreTold(t *testing.T) {
	m := memstore.New()
	soon, five, late := queue.Turn{Size: 12, Since: 9}, queue.Turn{Size: 20, Since: 1<<62 + 1}, queue.Turn{Size: 255}
	a, b := newWorker(t, m, two, 0), newWorker(t, m, two, 0)
	a.EnableGateways("x")
	b.EnableGateways("x")
	a.RecordRouted(0, sent(chainOf(1), 0), 0)
	a.pool.AtGateways.SetOwn([]queue.Hold{{Group: 0, Requests: 3, First: five}, {Group: 7, Requests: 1 << 20, First: soon}})
	a.Tick(1e9)
	b.Tick(1e9)
	b.Sync(1e9)
	if got := b.pool.AtGateways.Others(0); got != (queue.Hold{Requests: 3, First: five}) {
		t.Errorf("of a: %+v", got)
	}
	if got := b.pool.AtGateways.Others(7); got != (queue.Hold{Group: 7, Requests: 1<<16 - 1, First: soon}) {
		t.Errorf("of a's other group: %+v", got)
	}
	if got := b.matched(0, chainOf(1)); got != 3 {
		t.Errorf("of the log behind it %d blocks are known", got)
	}
	a.PublishGateways(1, true, 0, 0, 0, func(int) GatewayLoad { return GatewayLoad{InFlight: 4} }, []queue.Hold{{Requests: 2, First: soon}, {Requests: 1, First: late}}, 1e9, 0)
	b.Sync(1e9 + 1e8)
	if got := b.pool.AtGateways.Others(0); got != (queue.Hold{Requests: 6, First: soon}) || b.pool.AtGateways.Ahead(0, late) != 2 || b.pool.Counted(1) != 4 {
		t.Errorf("with other gateways: %+v, %v in flight there", got, b.pool.Counted(1))
	}
	b.Tick(1e9 + maxAge + 1)
	b.Sync(1e9 + maxAge + 1)
	if got := b.pool.AtGateways.Others(0); got.Requests != 0 {
		t.Errorf("after all are gone: %+v", got)
	}
}
