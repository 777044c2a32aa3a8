package gossip

import (
	"testing"

	"warmroute/plugin/pool"
)

// What waits at one gateway the others know, and not for long after it is silent.
func TestHoldsTravel(t *testing.T) {
	m := newMesh(t, 3)
	m.run(8)
	m.gateways[0].pool.SetHolds([]pool.Hold{{Requests: 3, Least: 512}})
	m.gateways[1].pool.SetHolds([]pool.Hold{{Requests: 1, Least: 64}, {Group: 9, Requests: 1, Least: 8}})
	m.run(8)
	for i, want := range []pool.Hold{{Requests: 1, Least: 64}, {Requests: 3, Least: 512}, {Requests: 4, Least: 64}} {
		if got := m.gateways[i].pool.OthersHold(0); got != want {
			t.Errorf("gateway %d: elsewhere waits %+v, want %+v", i, got, want)
		}
	}
	m.cut = map[string]bool{m.gateways[1].at: true}
	m.run(40)
	if got := m.gateways[2].pool.OthersHold(0); got != (pool.Hold{Requests: 3, Least: 512}) {
		t.Errorf("after two seconds without news of one: %+v", got)
	}
}
