package share

import (
	"testing"

	"warmroute/plugin/share/memstore"
)

// A worker that finds another in its slot knows what it has logged there itself: it enters that no second time, and all that the other one logs.
func TestStoppedWorkerReadsNothingOfItsOwn(t *testing.T) {
	for _, told := range []bool{true, false} {
		m := memstore.New()
		start := int64(20e9)
		a, own, theirs := newWorker(t, m, two, start), chainOf(1), chainOf(2)
		a.pool.Index.Use(0, own, 0, 0, uint32(start/1e6))
		if a.Record(0, sent(own, start), start); told {
			a.Flush(start)
		}
		now := start + maxAge + 1e9
		b := successor(t, m, a, now)
		b.RecordRouted(1, sent(theirs, now), now)
		b.Tick(now)
		a.Sync(now)
		a.pool.Index.Free(0, own, own.Len(), uint32(start/1e6), uint32(now/1e6))
		if got := a.inUse(0, own); got != 0 {
			t.Errorf("told %v: %d blocks are in use of a prompt whose only request has ended", told, got)
		}
		if got := a.inUse(1, theirs); got != theirs.Len() {
			t.Errorf("told %v: %d blocks are in use of what the other one has sent, want %d", told, got, theirs.Len())
		}
	}
}

// A worker whose slot another has taken leaves that one's log alone.
func TestRetireLeavesOthersLogs(t *testing.T) {
	m, start := memstore.New(), int64(20e9)
	a := newWorker(t, m, two, start)
	a.RecordRouted(0, sent(chainOf(1), start), start)
	a.Tick(start)
	now := start + maxAge + 1e9
	b := successor(t, m, a, now)
	b.Tick(now)
	before := pagesOf(b)
	a.Retire()
	if got := pagesOf(b); got != before || before == 0 {
		t.Errorf("%d pages have something in them, %d had", got, before)
	}
	b.Retire()
	if got := pagesOf(b); got != 0 {
		t.Errorf("%d pages have something in them, once their own worker has retired", got)
	}
}

// pagesOf counts the pages of a worker's log that are not empty.
func pagesOf(b worker) (pages int) {
	for n := range uint64(logPages) {
		if page, _, _ := b.store.Get(b.pageKey(b.slot, n*pageEntries)); len(page) > 0 {
			pages++
		}
	}
	return pages
}

// successor is a worker that has taken a's slot, and has logged more there than its latest page has.
func successor(t *testing.T, m *memstore.Store, a worker, now int64) worker {
	t.Helper()
	b := newWorker(t, m, two, now)
	if b.slot != a.slot {
		t.Fatalf("the next owner has slot %d, want %d", b.slot, a.slot)
	}
	for n := range 2 * pageEntries {
		b.RecordRouted(1, sent(chainOf(10+n), now), now)
	}
	return b
}
