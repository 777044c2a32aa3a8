package gossip

import "testing"

// The load of a gateway that falls silent fades in seconds, also where the clock is set back at the same time.
func TestSilenceWhenTheClockIsSetBack(t *testing.T) {
	m := newMesh(t, 2)
	m.run(4)
	m.send(m.gateways[0], 1, 1, 20_000)
	m.run(2)
	g := m.gateways[1]
	if got := g.pool.Counted(1); got != 1 {
		t.Fatalf("counts %v of the other gateway, want 1", got)
	}
	m.cut[address(0)], m.held = true, nil
	m.now -= 3600e9
	m.run(20 * 8)
	if got := g.pool.Counted(1); got != 0 {
		t.Errorf("eight seconds later it counts %v, want 0", got)
	}
	if s := g.Stats(m.now); s.Peers != 0 {
		t.Errorf("it takes %d gateways for alive, want 0", s.Peers)
	}
}
