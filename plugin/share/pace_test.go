package share

import (
	"testing"

	"warmroute/plugin/health"
	"warmroute/plugin/pool"
	"warmroute/plugin/prefix"
	"warmroute/plugin/share/memstore"
)

// Busy workers exchange once in an interval on average, and what was left for later is told at its end, or at a tick.
func TestPace(t *testing.T) {
	m := memstore.New()
	a, b := newWorker(t, m, two, 0), newWorker(t, m, two, 0)
	a.Tick(0)
	a.begin(0, 0)
	before := m.Reads + m.Writes
	const requests, apart = 20_000, 50_000 // ns
	now := int64(1e9)
	for n := range requests {
		now += apart
		a.Sync(now)
		a.RecordDecided(n%2, sent(chainOf(n), now), now)
		a.PublishKnown(now)
	}
	exchanges := requests*apart/int(interval) + burst + 1
	if calls, most := m.Reads+m.Writes-before, 4*exchanges+requests/pageEntries; calls > most {
		t.Errorf("%d requests in a second take %d calls, want at most %d", requests, calls, most)
	}
	a.Settle(now)
	b.Sync(now)
	for n := requests - logEntries; n < requests; n++ {
		if b.matched(n%2, chainOf(n)) != 3 {
			t.Fatalf("b does not know request %d of %d", n, requests)
		}
	}
	if got := b.pool.InFlight(0); got != 1 {
		t.Errorf("b counts %d in flight, want 1", got)
	}
	before = m.Writes
	if a.Settle(now); m.Writes != before {
		t.Error("what nobody waits for is published again")
	}
}

// Counts are exact to an interval, and what comes in small bursts is told at once.
func TestBurstIsTold(t *testing.T) {
	m := memstore.New()
	a, b := newWorker(t, m, two, 0), newWorker(t, m, two, 0)
	a.Tick(0)
	now := int64(1e9)
	for n := range burst {
		a.begin(0, 0)
		a.RecordDecided(0, sent(chainOf(n), now), now)
		b.Sync(now)
		if got := b.pool.InFlight(0); got != n+1 {
			t.Fatalf("b counts %d in flight, want %d", got, n+1)
		}
	}
	for n := range 10 * burst {
		now += interval / 10
		a.begin(0, 0)
		a.RecordDecided(0, sent(chainOf(burst+n), now), now)
		b.Sync(now)
		if got, want := b.pool.InFlight(0), burst+n+1-20; got < want {
			t.Fatalf("b counts %d in flight, want %d at least", got, want)
		}
	}
}

// One that serves alone neither reads nor writes for each request, and finds a newcomer soon, which finds what it has logged.
func TestAlone(t *testing.T) {
	m := memstore.New()
	a := newWorker(t, m, two, 0)
	serve := func(n int, now int64) {
		a.Sync(now)
		a.RecordDecided(0, sent(chainOf(n), now), now)
		a.PublishKnown(now)
	}
	now, requests := int64(1e9), 0
	for ; requests < 10_000; requests++ {
		now += 1e5
		serve(requests, now)
	}
	if calls := m.Reads + m.Writes; calls > requests/pageEntries+requests/100+2*burst {
		t.Errorf("%d requests in a second take %d calls", requests, calls)
	}
	f := a.begin(0, 0)
	b := newWorker(t, m, two, now)
	b.begin(1, 0)
	b.RecordDecided(1, sent(chainOf(-1), now), now)
	for end := now + alone + 2e5; now < end; now += 1e5 {
		serve(requests, now)
		requests++
	}
	b.Sync(now)
	for n := requests - logEntries; n < requests-2; n++ {
		if b.matched(0, chainOf(n)) != 3 {
			t.Fatalf("the newcomer does not know request %d of %d", n, requests)
		}
	}
	if a.matched(1, chainOf(-1)) != 3 || a.pool.InFlight(1) != 1 || b.pool.InFlight(0) != 1 {
		t.Error("they do not know of each other's requests")
	}
	a.pool.End(f, now, pool.Outcome{Ending: health.Cancelled})
}

// A worker whose VM traps is not counted for ever, and the next owner of its slot goes on with its log where that was published:
// what was on the same page is still read.
func TestTrapped(t *testing.T) {
	m := memstore.New()
	a, b := newWorker(t, m, two, 0), newWorker(t, m, two, 0)
	a.Tick(0)
	const told = pageEntries + 3
	for n := range told {
		a.begin(0, 0)
		a.RecordDecided(0, sent(chainOf(n), 1e9), 1e9)
	}
	v := sent(chainOf(100), 1e9)
	a.record(0, &v) // and traps
	later := int64(maxAge + 2e9)
	b.Tick(later)
	b.Sync(later)
	if got := b.pool.InFlight(0); got != 0 {
		t.Errorf("b counts %d in flight, want 0", got)
	}
	c := newWorker(t, m, two, later)
	if c.slot != a.slot {
		t.Fatalf("the next worker has slot %d, want %d", c.slot, a.slot)
	}
	c.RecordDecided(1, sent(chainOf(200), later), later)
	c.Settle(later)
	d := newWorker(t, m, two, later)
	for n := range told {
		if d.matched(0, chainOf(n)) != 3 {
			t.Errorf("request %d is not known", n)
		}
	}
	if d.matched(1, chainOf(200)) != 3 || d.matched(0, chainOf(100)) != 0 {
		t.Error("the log does not go on where it was published")
	}
}

// A log takes as many keys, however long it becomes.
func TestLogIsBounded(t *testing.T) {
	m := memstore.New()
	a := newWorker(t, m, two, 0)
	size := 0
	for n := range 5 * logEntries {
		a.RecordDecided(0, sent(chainOf(n), int64(n)*1e6), int64(n)*1e6)
		if n == 2*logEntries {
			size = m.Bytes()
		}
	}
	if got := m.Bytes(); got != size {
		t.Errorf("after two rounds it takes %d bytes, after five %d", size, got)
	}
}

// After the clock was set back, workers exchange as before.
func TestPaceOfAClockSetBack(t *testing.T) {
	var p pace
	for range 10 * burst {
		p.take(1e18, interval)
	}
	for n := range burst {
		if !p.take(1e9, interval) {
			t.Fatalf("call %d is not allowed", n)
		}
	}
	if p.take(1e9, interval) {
		t.Error("more than a burst is allowed at once")
	}
}

// The last page of a log is read with the slot, unless it is too long for that, and is the next owner's to go on with.
func TestLastPageInSlot(t *testing.T) {
	for _, blocks := range []int{3, slotPage / 10 / pageEntries * 2} {
		m := memstore.New()
		a, b := newWorker(t, m, two, 0), newWorker(t, m, two, 0)
		a.Tick(0)
		chain := func(n int) *prefix.Chain {
			c := &prefix.Chain{}
			for i := range blocks {
				c.Hash, c.End = append(c.Hash, uint64(n*1000+i+1)), append(c.End, uint32(256*(i+1)))
			}
			return c
		}
		const routed = 3 * pageEntries // the first page begins at 0, which is no entry's number
		for n := range routed {
			a.RecordDecided(0, sent(chain(n), 0), 0)
			before := m.Reads
			b.Sync(0)
			if got := b.matched(0, chain(n)); got != blocks {
				t.Fatalf("of request %d with %d blocks b believes in %d", n, blocks, got)
			}
			long, full := len(a.page) > slotPage, (n+2)%pageEntries == 0
			if want := 2 + map[bool]int{true: 1}[long || full]; m.Reads-before != want {
				t.Errorf("request %d with %d blocks takes %d reads, want %d", n, blocks, m.Reads-before, want)
			}
		}
		c := newWorker(t, m, two, maxAge+1e9) // takes a's slot
		c.Sync(maxAge + 1e9)
		c.RecordDecided(1, sent(chain(routed), maxAge+1e9), maxAge+1e9)
		c.Flush(maxAge + 1e9)
		d := newWorker(t, m, two, maxAge+1e9)
		for n := range routed + 1 {
			if got := d.matched(n/routed, chain(n)); c.slot != a.slot || got != blocks {
				t.Errorf("the successor's peer believes in %d blocks of request %d, want %d", got, n, blocks)
			}
		}
	}
}
