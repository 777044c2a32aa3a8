package share

import (
	"testing"

	"warmroute/plugin/health"
	"warmroute/plugin/pool"
	"warmroute/plugin/prefix"
	"warmroute/plugin/prefix/prefixtest"
	"warmroute/plugin/share/memstore"
)

// inUse is how many of the chain's blocks requests on their way use at the endpoint, for all that the worker knows. It forgets what is idle.
func (w worker) inUse(endpoint int, chain *prefix.Chain) int {
	return prefixtest.Used(w.pool.Index, endpoint, chain)
}

// What requests of one worker use, another knows, also one that comes later: until they end or are lost, and where two use the same, until
// both have.
func TestPeersKnowWhatIsInUse(t *testing.T) {
	const begin, end = int64(1e9), int64(5e9)
	short, long := chainOf(1), chainOf(1)
	short.Cut(2)
	other := &prefix.Chain{Hash: []uint64{long.Hash[0], 77}, End: []uint32{256, 512}}
	for name, c := range map[string]struct {
		steps               func(a worker)
		holds, uses, shares int // of long, long and other
	}{
		"sent": {func(a worker) { a.RecordRouted(1, sent(long, begin), begin) }, 3, 3, 1},
		"ended": {func(a worker) {
			a.RecordRouted(1, sent(long, begin), begin)
			a.Record(1, ended(long, 3, begin, end), end)
		}, 3, 0, 0},
		"more of it comes": {func(a worker) {
			a.RecordRouted(1, sent(short, begin), begin)
			a.RecordRouted(1, longer(long, 2, begin, end), end)
		}, 3, 3, 1},
		"and it ends": {func(a worker) {
			a.RecordRouted(1, sent(short, begin), begin)
			a.RecordRouted(1, longer(long, 2, begin, 2*begin), 2*begin)
			a.Record(1, ended(long, 3, begin, end), end)
		}, 3, 0, 0},
		"known at its end": {func(a worker) {
			a.RecordRouted(1, sent(other, begin), begin)
			a.Record(1, ended(long, 0, begin, end), end)
		}, 3, 1, 2},
		"lost": {func(a worker) { a.RecordRouted(1, sent(long, begin), begin); a.Record(1, lost(long, 0, begin), end) }, 0, 0, 0},
		"lost, and its beginning was held": {func(a worker) {
			a.RecordRouted(1, sent(short, begin), begin)
			a.Record(1, ended(short, 2, begin, begin), begin)
			a.RecordRouted(1, sent(long, 2*begin), 2*begin)
			a.Record(1, lost(long, 2, 2*begin), end)
		}, 2, 0, 0},
		"one of two ends": {func(a worker) {
			a.RecordRouted(1, sent(long, begin), begin)
			a.RecordRouted(1, sent(other, begin), begin)
			a.Record(1, ended(long, 3, begin, end), end)
		}, 3, 1, 2},
		"one of two is lost": {func(a worker) {
			a.RecordRouted(1, sent(long, begin), begin)
			a.RecordRouted(1, sent(long, 2*begin), 2*begin)
			a.Record(1, lost(long, 0, 2*begin), end)
		}, 3, 3, 1},
	} {
		m := memstore.New()
		a, b := newWorker(t, m, two, 0), newWorker(t, m, two, 0)
		a.Tick(0)
		c.steps(a)
		a.Publish(end)
		a.Flush(end)
		b.Sync(end)
		late := newWorker(t, m, two, end)
		for which, w := range map[string]worker{"another": b, "one that comes later": late} {
			if holds, uses, shares := w.matched(1, long), w.inUse(1, long), w.inUse(1, other); holds != c.holds || uses != c.uses || shares != c.shares {
				t.Errorf("%s: %s believes in %d blocks, of which %d are in use, and %d of the other prompt's; want %d, %d and %d",
					name, which, holds, uses, shares, c.holds, c.uses, c.shares)
			}
		}
	}
}

// What a peer tells of before an endpoint restarted is not in its cache any more, even where it arrives later.
func TestNewsOfBeforeARestart(t *testing.T) {
	m := memstore.New()
	a, b := newWorker(t, m, two, 0), newWorker(t, m, two, 0)
	a.Tick(0)
	a.RecordRouted(1, sent(chainOf(1), 1e9), 1e9)
	a.RecordRouted(0, sent(chainOf(2), 1e9), 1e9)
	b.pool.EmptyCache(1, 2e9)
	b.Sync(3e9)
	if here, there := b.matched(0, chainOf(2)), b.matched(1, chainOf(1)); here != 3 || there != 0 {
		t.Errorf("b believes in %d blocks at the endpoint that stayed, %d at the one that restarted; want 3 and 0", here, there)
	}
	a.RecordRouted(1, sent(chainOf(1), 4e9), 4e9)
	if b.Sync(4e9); b.matched(1, chainOf(1)) != 3 {
		t.Error("what was sent there since is not held")
	}
}

// A flight of one worker is in use at the other until it has ended, whatever became of it.
func TestFlightsEndEverywhere(t *testing.T) {
	for name, how := range map[string]pool.Outcome{
		"answered": {Ending: health.Answered, Usage: true, PromptTokens: 1000}, "cancelled": {Ending: health.Cancelled},
		"lost": {Ending: health.Cancelled, Lost: true}, "refused": {Ending: health.Answered, Lost: true}, "broken": {Ending: health.Broken},
	} {
		m := memstore.New()
		a, b := newWorker(t, m, two, 0), newWorker(t, m, two, 0)
		a.Tick(0)
		f := a.begin(1, 1000)
		chain := &f.Chain
		a.RecordRouted(1, f.Entered(), 1e9)
		b.Sync(1e9)
		if uses := newWorker(t, m, two, 1e9).inUse(1, chain); uses != f.Total || uses == 0 {
			t.Errorf("%s: before it, %d of %d blocks are in use", name, uses, f.Total)
		}
		a.pool.End(f, 2e9, how)
		a.Record(1, f.Lost(), 2e9)
		a.Record(1, f.Entered(), 2e9)
		a.Publish(2e9)
		b.Sync(2e9)
		want := f.Total
		if how.Lost {
			want = 0
		}
		for _, w := range []worker{a, b} {
			if holds, uses := w.matched(1, chain), w.inUse(1, chain); holds != want || uses != 0 {
				t.Errorf("%s: %d blocks are held, %d in use; want %d and 0", name, holds, uses, want)
			}
		}
	}
}
