package share

import (
	"slices"
	"testing"

	"warmroute/plugin/share/memstore"
)

// What is told wakes each queue that was armed, once, whichever worker armed it.
func TestArmed(t *testing.T) {
	m := memstore.New()
	a, b := newWorker(t, m, two, 0), newWorker(t, m, two, 0)
	var woken []uint32
	a.Wake = func(queue uint32) { woken = append(woken, queue) }
	want := func(queues ...uint32) {
		t.Helper()
		if !slices.Equal(woken, queues) {
			t.Errorf("woken: %v, want %v", woken, queues)
		}
		woken = nil
	}
	a.begin(0, 100)
	want()
	Arm(m, 7, 0)
	Arm(m, 9, 0)
	Arm(m, 7, 0)
	b.Tell(1e9) // it shares no news
	want()
	a.begin(0, 100)
	a.RecordRouted(0, sent(chainOf(1), 1e9), 1e9)
	want(7, 9)
	a.Tell(1e9)
	want()
	Arm(m, 8, 0)
	a.RecordDecided(0, sent(chainOf(2), 1e9), 1e9)
	want(8)
	Arm(m, 4, 1e9+5)
	Arm(m, 6, 1e9)
	Arm(m, 3, 9e9) // a broken clock's
	Arm(m, 2, 1e9+7)
	a.Tell(1e9)
	want(6, 3)
	a.Tell(1e9 + 4)
	want()
	if !Arm(m, 2, 1e9+5) {
		t.Error("what is told too early is not noted")
	}
	if Arm(m, 2, 1e9+5) || Arm(m, 1, 2e9) {
		t.Error("it is noted twice, or of a queue that was not armed")
	}
	a.Tell(1e9 + 5)
	want(4, 2)
	if !Arm(m, 1, 1) {
		t.Error("what is told when other queues are woken is not noted")
	}
	a.Tell(1e9 + 6)
	want(1)
	m.Set(armedKey, []byte{1, 2, 3}, 0) // garbage
	a.Tell(1e9)
	want()
	m.Set(armedKey, make([]byte, armedMost+3), 0)
	Arm(m, 5, 0)
	a.Tell(1e9)
	want(5)
}

// Where another worker arms its queue at the same moment, none is forgotten.
func TestArmedMeanwhile(t *testing.T) {
	m := memstore.New()
	a := newWorker(t, m, two, 0)
	var woken []uint32
	a.Wake = func(queue uint32) { woken = append(woken, queue) }
	Arm(m, 7, 0)
	m.AfterGet = func(key string) {
		if m.AfterGet = nil; key == armedKey {
			Arm(m, 9, 0)
		}
	}
	if a.wake(1e9); !slices.Equal(woken, []uint32{7, 9}) {
		t.Errorf("woken: %v, want 7 and 9", woken)
	}
}
