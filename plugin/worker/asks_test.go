package worker

import (
	"slices"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/gossip"
	"warmroute/plugin/pool"
	"warmroute/plugin/share"
	"warmroute/plugin/share/memstore"
)

// An ask waits until something is to be told, or as long as it may; one that could be answered at once, but not so often, until there
// may be another answer.
func TestAsks(t *testing.T) {
	const ms = int64(1e6)
	h := Asks{Answers: 100}
	now, fresh, from := int64(1e15), false, int64(-1)
	h.Arm = func(at int64) bool { from = at; return false }
	keep := func(id uint32, holds ...int64) bool {
		header, k := "", 0
		for range holds {
			header += "00,"
		}
		waits, fault := h.Keep(id, header, func(_ []byte, arm func()) (int64, bool, gossip.Fault) {
			k++
			if holds[k-1] < 0 {
				return 0, false, gossip.Hashing
			}
			arm()
			return holds[k-1], fresh, ""
		}, now)
		if fault != "" {
			t.Errorf("ask %d is refused: %s", id, fault)
		}
		return waits
	}
	if keep(1, 0) || keep(2, 100*ms, 0) || keep(3) || keep(3, -1) || len(h.list) > 0 { // below 0: no such pool
		t.Error("asks wait that may not")
	}
	if !keep(4, 100*ms) || !keep(5, -1, 200*ms, -1, 300*ms) || len(h.list) != 2 || from != 0 {
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
	if got := h.Woken(now); !slices.Equal(got, []uint32{5}) || len(h.list) > 0 {
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

// What came when the worker might not answer yet is told at the first tick at which it may, also if another ask came in between.
func TestAsksMissesNothing(t *testing.T) {
	const ms = int64(1e6)
	for _, between := range []bool{false, true} {
		now, store, told := int64(1e15), memstore.New(), 0
		h := Asks{Answers: 20, Others: 1, Arm: func(from int64) bool { return share.Arm(store, 1, from) }}
		cfg, err := config.Parse([]byte(`{"endpoints":["10.0.0.1:80"]}`))
		if err != nil {
			t.Fatal(err)
		}
		board := share.New(store, pool.New(&cfg, cfg.IndexBytes)) // of another worker
		board.Wake = func(uint32) { told++ }
		keep := func(id uint32) {
			if waits, _ := h.Keep(id, "00", func(_ []byte, arm func()) (int64, bool, gossip.Fault) {
				arm()
				return 1000 * ms, false, ""
			}, now); !waits {
				t.Fatal("an ask does not wait")
			}
		}
		for h.may(1, now) {
		}
		keep(1)
		if board.Tell(now + ms); told > 0 {
			t.Fatal("the worker is woken when it may not answer")
		}
		if between {
			keep(2)
		}
		if got := h.Tick(now + 2*ms); len(got) > 0 {
			t.Errorf("between %v: after 2 ms: %v", between, got)
		}
		if got := h.Tick(now + 60*ms); !slices.Contains(got, 1) {
			t.Errorf("between %v: after 60 ms: %v, want 1", between, got)
		}
	}
}

// While nothing happens, a worker whose asks wait looks at shared data at a tick, and writes nothing there.
func TestAsksWritesNothingAtRest(t *testing.T) {
	const ms = int64(1e6)
	now, store, sets := int64(1e15), memstore.New(), 0
	h := Asks{Answers: 200, Others: 1, Arm: func(from int64) bool {
		before, _, _ := store.Get(share.KeyPrefix + "awaited")
		before = slices.Clone(before)
		missed := share.Arm(store, 1, from)
		if after, _, _ := store.Get(share.KeyPrefix + "awaited"); !slices.Equal(before, after) {
			sets++
		}
		return missed
	}}
	if waits, _ := h.Keep(1, "00", func(_ []byte, arm func()) (int64, bool, gossip.Fault) {
		arm()
		return 1000 * ms, false, ""
	}, now); !waits {
		t.Fatal("an ask does not wait")
	}
	for range 100 {
		now += 5 * ms
		h.Tick(now)
	}
	if sets != 1 {
		t.Errorf("armed %d times, want once", sets)
	}
}
