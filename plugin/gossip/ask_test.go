package gossip

import (
	"testing"

	"warmroute/plugin/news"
)

// A gateway's asks are numbered upwards, whichever of its workers asks, and also once the clock was set back; another gateway has none of the
// numbers.
func TestAsksAreNumberedUpwards(t *testing.T) {
	const ms = int64(1e6)
	m := newMesh(t, 3)
	first := m.gateways[0]
	other := New(Options{Keys: first.keys, Dialect: first.dialect, Name: "x", Fresh: 1, Interval: 50 * ms, Timeout: 500 * ms}, first.pool, first.board, first.store)
	other.SetPeers(m.addresses(), m.now)
	last := map[uint64]uint64{}
	seen := map[uint64]bool{}
	for step := range 200 {
		now := int64(1.7e18) + int64(step)*50*ms
		if step == 100 {
			now -= 3600e9
		}
		for i, node := range m.gateways {
			g := node.Gossip
			if i == 0 && step%20 < 10 && step < 100 {
				g = other
			}
			g.Tick(now, true)
			for c, ok := g.Ask(now); ok; c, ok = g.Ask(now) {
				var q news.Ask
				if err := q.Read(news.FromHex(c.Header), g.keys[0]); err != nil {
					t.Fatal(err)
				}
				if q.Number <= last[q.From] || seen[q.Number] {
					t.Fatalf("step %d: number %d after %d", step, q.Number, last[q.From])
				}
				last[q.From], seen[q.Number] = q.Number, true
				g.Unsent(c.Peer, now)
			}
		}
	}
	if len(last) < 3 {
		t.Errorf("%d gateways have asked", len(last))
	}
}
