package gossip

import (
	"testing"

	"warmroute/plugin/speed"
)

// A first token that one gateway has seen shows that prompts of another one are computed, too, which reported them before: its part of what
// the endpoint computes in the time.
func TestFirstTokensShow(t *testing.T) {
	const prompts = 8
	m := newMesh(t, 3)
	m.run(4)
	sent := m.now
	for n := range prompts {
		m.send(m.gateways[1], 0, n, 1000)
	}
	f := m.send(m.gateways[2], 0, prompts, 1000)
	tokens := m.gateways[1].pool.ProxyQueue(0, sent)
	m.run(4)
	g := m.gateways[0]
	before := g.pool.Queue(0, m.now)
	m.cut[address(1)] = true
	m.run(2)
	shown := m.now
	m.gateways[2].pool.FirstToken(f, shown)
	m.gateways[2].board.Publish(shown)
	m.run(2)
	computed := func(from, to int64) float64 { return float64(to-from) / 1e9 / speed.AssumedPerToken }
	part := (computed(sent, shown) - tokens/prompts) / 1.5 // of three gateways that are alike, two have reported
	least := tokens - part - computed(shown, m.now)
	if got := g.pool.Queue(0, m.now); tokens < 5000 || got < least-1 || got > tokens-part+1 {
		t.Errorf("%.0f tokens of one gateway are left of %.0f of two, want %.0f to %.0f", got, before, least, tokens-part)
	}
}
