package gossip

import (
	"testing"

	"warmroute/plugin/pool"
	"warmroute/plugin/prefix"
)

// ends lets a request end that uses chain n at endpoint 1 since then.
func (m *mesh) ends(g *gateway, n int, sent int64) {
	g.board.Record(1, pool.Visit{Step: prefix.Ended, Chain: chainOf(n), First: 3, Sent: sent, At: m.now}, m.now)
	g.board.Publish(m.now)
}

// What is told twice, because another worker begins to ask (the one before was reloaded, or trapped), or a gateway starts and asks others
// for what the snapshot had, is counted once: what has ended is in use by nobody, and what has not, still is.
func TestToldTwice(t *testing.T) {
	leads := func(m *mesh) *gateway {
		b := m.gateways[0]
		b.Tick(m.now, false)
		m.run(4)
		return b
	}
	for name, c := range map[string]struct {
		again   func(m *mesh) *gateway
		send    int // requests with the same prompt
		end     int // of them, before what is told twice
		pause   int // ticks before that
		endThen int // and after it
		want    int // blocks in use
	}{
		"another worker asks":                    {leads, 1, 0, 2, 1, 0},
		"another worker asks, one has ended":     {leads, 2, 1, 240, 0, 3},
		"another worker asks, one is to end":     {leads, 2, 0, 2, 1, 3},
		"a gateway starts":                       {starts, 1, 0, 4, 1, 0},
		"a gateway starts, two are on their way": {starts, 2, 0, 4, 1, 3},
	} {
		m := newMesh(t, 3)
		m.run(30)
		a := m.gateways[1]
		var sent int64
		for range c.send {
			sent = m.now
			m.send(a, 1, 1, 100)
			m.run(1)
		}
		m.run(c.pause)
		for range c.end {
			m.ends(a, 1, sent)
		}
		m.run(2)
		b := c.again(m)
		for range c.endThen {
			m.ends(a, 1, sent)
		}
		m.run(30)
		if got := b.uses(1, 1); got != c.want {
			t.Errorf("%s: %d blocks are in use, want %d", name, got, c.want)
		}
	}
}

// starts restarts the last gateway, which takes a snapshot.
func starts(m *mesh) *gateway {
	n := m.begin(2, secret)
	n.SetPeers(m.addresses(), m.now)
	m.run(100)
	return n
}
