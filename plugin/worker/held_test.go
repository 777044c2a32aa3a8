package worker

import (
	"slices"
	"testing"

	"warmroute/plugin/gossip"
)

// An ask waits until something is to be told, or as long as it may; one that could be answered at once, but not so often, until there
// may be another answer.
func TestHeld(t *testing.T) {
	const ms = int64(1e6)
	h := Held{Answers: 100}
	now, fresh, from := int64(1e15), false, int64(0)
	h.Arm = func(at int64) { from = at }
	keep := func(id uint32, holds ...int64) bool {
		header, k := "", 0
		for range holds {
			header += "00,"
		}
		return h.Keep(id, header, func(_ []byte, arm func()) (int64, bool, gossip.Fault) {
			k++
			if holds[k-1] < 0 {
				return 0, false, gossip.Hashing
			}
			arm()
			return holds[k-1], fresh, ""
		}, now)
	}
	if keep(1, 0) || keep(2, 100*ms, 0) || keep(3) || keep(3, -1) || len(h.asks) > 0 { // below 0: no such pool
		t.Error("asks wait that may not")
	}
	if !keep(4, 100*ms) || !keep(5, -1, 200*ms, -1, 300*ms) || len(h.asks) != 2 || from != now {
		t.Error("asks do not wait that may")
	}
	if got := h.Tick(now + 99*ms); len(got) > 0 {
		t.Errorf("after 99 ms: %v", got)
	}
	if got := h.Tick(now + 100*ms); !slices.Equal(got, []uint32{4}) {
		t.Errorf("after 100 ms: %v, want 4", got)
	}
	h.Drop(4)
	keep(6, 100*ms)
	h.Drop(6)
	if got := h.Woken(now); !slices.Equal(got, []uint32{5}) || len(h.asks) > 0 {
		t.Errorf("woken: %v, want 5", got)
	}
	for range 300 { // more than may be answered at once
		keep(7, 1000*ms)
		h.Woken(now)
	}
	keep(8, 1000*ms)
	if got := h.Woken(now); len(got) > 0 {
		t.Errorf("without an end: %v", got)
	}
	fresh = true
	if !keep(9, 1000*ms) {
		t.Error("an ask is answered at once though too many were")
	}
	if from <= now || from > now+50*ms {
		t.Errorf("the queue may be woken %d ms later", (from-now)/ms)
	}
	if got := h.Tick(now + 1); len(got) > 0 {
		t.Errorf("at the next tick, which comes too soon: %v", got)
	}
	h.Drop(7)
	if got := h.Tick(now + 900*ms); !slices.Contains(got, 8) || !slices.Contains(got, 9) {
		t.Errorf("later: %v, want 8 and 9", got)
	}
	now += 10_000 * ms
	if keep(10, 100*ms) {
		t.Error("where something is to be told an ask waits")
	}
}
