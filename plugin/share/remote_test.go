package share

import (
	"testing"

	"warmroute/plugin/news"
	"warmroute/plugin/queue"
	"warmroute/plugin/share/memstore"
)

// A worker without requests keeps no index of what other gateways have routed, and knows it when its first request comes.
func TestRemoteBeforeTheFirstRequest(t *testing.T) {
	const now = int64(1e15)
	m := memstore.New()
	w := newWorker(t, m, two, now)
	idle := newWorker(t, memstore.New(), two, now)
	idle.Board = New(m, idle.pool)
	w.EnableGateways("x")
	idle.EnableGateways("x")
	if !w.RecordRemote(1, &news.Entry{Origin: 7, Endpoint: "10.0.0.2:80", Chain: *chainOf(1)}, false, now) {
		t.Fatal("not recorded")
	}
	w.PublishGateways(2, true, 0, 0, 0, func(int) GatewayLoad { return GatewayLoad{Line: queue.Line{Queued: 9}} }, nil, now, 0)
	idle.ReadPeers(now)
	if got := idle.matched(1, chainOf(1)); got != 0 {
		t.Errorf("before its first request it keeps %d blocks", got)
	}
	if got := idle.pool.Queue(1, now); got == 0 {
		t.Error("nor does it know of the load")
	}
	idle.Sync(now)
	if got := idle.matched(1, chainOf(1)); got != chainOf(1).Len() {
		t.Errorf("at its first request it knows %d blocks, want %d", got, chainOf(1).Len())
	}
}
