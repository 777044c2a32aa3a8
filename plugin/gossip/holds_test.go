package gossip

import (
	"testing"

	"warmroute/plugin/queue"
)

// A turn that is told again and again stays the same one's, however the clocks' fractions fall.
func TestTurnsAreTheSame(t *testing.T) {
	m := newMesh(t, 2)
	m.run(8)
	turn := queue.Turn{Size: 20, Since: m.now - 2e9 + 123_456}
	m.gateways[0].pool.AtGateways.SetOwn([]queue.Hold{{Requests: 1, First: turn}})
	m.run(8)
	for i := range 40 {
		m.now += int64(i*i*137_911) % 1e6
		m.run(1)
		if got := m.gateways[1].pool.AtGateways.Others(0).First; !got.Same(turn) {
			t.Errorf("it is told as %+v, want %+v", got, turn)
		}
	}
	for _, other := range []queue.Turn{{Size: 21, Since: turn.Since}, {Size: 20, Since: turn.Since + 1e9}, {Size: 20}} {
		if turn.Same(other) || other.Same(turn) {
			t.Errorf("%+v and %+v are the same", turn, other)
		}
	}
}

// What waits at one gateway the others know, and not for long after it is silent.
func TestHoldsTravel(t *testing.T) {
	m := newMesh(t, 3)
	m.run(8)
	five, soon := queue.Turn{Size: 20, Since: m.now - 2e9}, queue.Turn{Size: 12, Since: m.now}
	m.gateways[0].pool.AtGateways.SetOwn([]queue.Hold{{Requests: 3, First: five}})
	m.gateways[1].pool.AtGateways.SetOwn([]queue.Hold{{Requests: 1, First: soon}, {Group: 9, Requests: 1}})
	m.run(8)
	for i, want := range []queue.Hold{{Requests: 1, First: soon}, {Requests: 3, First: five}, {Requests: 4, First: soon}} {
		if got := m.gateways[i].pool.AtGateways.Others(0); got != want {
			t.Errorf("gateway %d: elsewhere waits %+v, want %+v", i, got, want)
		}
	}
	m.cut = map[string]bool{m.gateways[1].at: true}
	m.run(40)
	if got := m.gateways[2].pool.AtGateways.Others(0); got != (queue.Hold{Requests: 3, First: five}) {
		t.Errorf("after two seconds without news of one: %+v", got)
	}
}
