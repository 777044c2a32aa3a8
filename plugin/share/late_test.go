package share

import (
	"testing"

	"warmroute/plugin/health"
	"warmroute/plugin/pool"
	"warmroute/plugin/share/memstore"
)

// After Flush no tick may come: the ends of the requests that are still open are published one by one, with peers and without.
func TestEndsAfterFlush(t *testing.T) {
	for _, peers := range []int{0, 1} {
		m := memstore.New()
		a, now := newWorker(t, m, two, 0), int64(1e9)
		for range peers {
			newWorker(t, m, two, 0)
		}
		a.Tick(now)
		var open []*pool.Flight
		for n := range 3 * burst {
			open = append(open, a.begin(0, 0))
			a.RecordDecided(0, sent(chainOf(n), now), now)
		}
		a.Flush(now)
		b := newWorker(t, m, two, now)
		for _, f := range open {
			a.pool.End(f, now, pool.Outcome{Ending: health.Cancelled})
			a.PublishKnown(now)
		}
		now += 1e9
		b.Sync(now)
		if got := b.pool.InFlight(0); got != 0 {
			t.Errorf("%d peers: a newcomer counts %d in flight, want 0", peers, got)
		}
	}
}

// One that serves alone and has no more requests tells a newcomer at the next Settle what has ended since the last Tick, and counts
// what the newcomer has begun.
func TestIdleFindsNewcomer(t *testing.T) {
	m := memstore.New()
	a := newWorker(t, m, two, 0)
	f := a.begin(0, 0)
	a.Tick(1e9)
	now := int64(1e9 + 1e8)
	b := newWorker(t, m, two, now)
	b.begin(1, 0)
	b.RecordDecided(1, sent(chainOf(1), now), now)
	a.pool.End(f, now, pool.Outcome{Ending: health.Cancelled})
	a.PublishKnown(now)
	now += 1e8
	a.Settle(now)
	a.ReadPeers(now)
	b.Sync(now)
	if got := b.pool.InFlight(0); got != 0 {
		t.Errorf("the newcomer counts %d in flight at endpoint 0, want 0", got)
	}
	if got := a.pool.InFlight(1); got != 1 {
		t.Errorf("the one that was alone counts %d in flight at endpoint 1, want 1", got)
	}
}

// A worker that was stopped for longer than maxAge never writes over the next owner of its slot, whatever it does first, and is counted
// in a slot of its own after its next decision.
func TestStoppedWorkerWritesNothingOver(t *testing.T) {
	for name, first := range map[string]func(a worker, f *pool.Flight, now int64){
		"a decision": func(a worker, _ *pool.Flight, now int64) {
			a.Sync(now)
			a.begin(1, 0)
			a.RecordDecided(1, sent(chainOf(500), now), now)
		},
		"a longer prompt": func(a worker, _ *pool.Flight, now int64) { a.RecordRouted(1, sent(chainOf(500), now), now) },
		"an end": func(a worker, f *pool.Flight, now int64) {
			a.pool.End(f, now, pool.Outcome{Ending: health.Cancelled})
			a.PublishKnown(now)
		},
		"a lost prompt": func(a worker, f *pool.Flight, now int64) {
			a.Record(1, lost(chainOf(500), 0, now), now)
			a.PublishKnown(now)
		},
		"the gateways' ask":  func(a worker, _ *pool.Flight, now int64) { a.Tell(now) },
		"its end":            func(a worker, _ *pool.Flight, now int64) { a.Flush(now) },
		"a tick's beginning": func(a worker, _ *pool.Flight, now int64) { a.Settle(now) },
	} {
		for _, later := range []int64{maxAge + 1e9, -maxAge - 1e9} { // the latter is a clock that was set back
			m := memstore.New()
			start := int64(20e9)
			a := newWorker(t, m, two, start)
			newWorker(t, m, two, start)
			a.Tick(start)
			f := a.begin(0, 0)
			for n := range pageEntries - 2 { // the next entry fills the page
				a.RecordDecided(0, sent(chainOf(n), start), start)
			}
			now := start + later
			b := newWorker(t, m, two, now)
			if b.slot != a.slot {
				t.Fatalf("the next owner has slot %d, want %d", b.slot, a.slot)
			}
			b.begin(0, 0)
			b.begin(0, 0)
			b.RecordDecided(0, sent(chainOf(900), now), now)
			b.Tick(now)
			first(a, f, now)
			c := newWorker(t, m, two, now)
			c.Sync(now)
			if got := c.pool.InFlight(0); got < 2 {
				t.Errorf("%s: %d in flight are counted, want at least the new owner's 2", name, got)
			}
			if c.matched(0, chainOf(900)) != 3 {
				t.Errorf("%s: the new owner's log is written over", name)
			}
			a.Sync(now)
			value, _, _ := m.Get(b.slotKey(b.slot))
			if owner, _ := ownerOf(inFlightOf(value)); owner != b.id {
				t.Errorf("%s: worker %d is in the slot of worker %d", name, owner, b.id)
			}
			if a.slot < 0 || a.slot == b.slot || a.slot == c.slot {
				t.Errorf("%s: it has slot %d, the others %d, %d", name, a.slot, b.slot, c.slot)
			}
		}
	}
}
