package load

import (
	"math"
	"testing"

	"warmroute/plugin/exposition"
)

const second = int64(1e9)

func TestTableCounts(t *testing.T) {
	table := NewTable(2)
	table.Acquire(1)
	table.Acquire(1)
	table.Acquire(0)
	table.Release(1)
	if table.InFlight(0) != 1 || table.InFlight(1) != 1 || table.Total() != 2 {
		t.Errorf("got %d, %d, total %d; want 1, 1, total 2", table.InFlight(0), table.InFlight(1), table.Total())
	}
	table.SetOthers(1, 5)
	table.SetOthers(1, 3)
	if table.InFlight(1) != 4 || table.OwnInFlight(1) != 1 || table.Total() != 5 {
		t.Errorf("with others: got %d, own %d, total %d; want 4, 1, 5", table.InFlight(1), table.OwnInFlight(1), table.Total())
	}
}

func TestReleaseStopsAtZero(t *testing.T) {
	table := NewTable(1)
	table.Release(0)
	table.Acquire(0)
	if table.InFlight(0) != 1 || table.Total() != 1 {
		t.Errorf("after a stray release and an acquire: got %d, total %d; want 1, 1", table.InFlight(0), table.Total())
	}
}

func TestQueued(t *testing.T) {
	const now = 100 * second
	table := NewTable(1)
	want := func(at int64, tokens float64) {
		t.Helper()
		if got := table.Queued(0, at); math.Abs(got-tokens) > 0.5 {
			t.Errorf("%v s: %v tokens queued, want %v", float64(at-now)/1e9, got, tokens)
		}
	}
	table.Begin(0, now, 10000, true)
	table.Begin(0, now, 6000, true)
	want(now, 16000)
	want(now+second/10, 15000)       // at the assumed 10,000 tokens a second
	want(now+10*second, 8000)        // the first is under way, and no more than the first
	table.FirstToken(0, now, 10000)  // it was faster than that
	want(now, 6000)                  //
	want(now+second/2, 1000)         //
	table.Withdraw(0, now, 6000)     // the client left
	want(now, 0)                     //
	table.Begin(0, now, 5000, false) // not streamed: its end shows nothing
	want(now+second/4, 2500)
	want(now+second, 0)
	table.Begin(0, now+second, 4000, true)
	table.SetOthers(0, 8) // and four own, whose ends were not told
	want(now+second, 12000)
}

func TestWorkFades(t *testing.T) {
	table := NewTable(2)
	table.Begin(0, second, 1000, true)
	table.Begin(0, second, 500, true)
	if requests, tokens := table.Work(0, second); requests != 2 || tokens != 1500 {
		t.Errorf("got %v requests, %v tokens; want 2, 1500", requests, tokens)
	}
	if _, tokens := table.Work(0, second+WorkSpan); math.Abs(tokens-1500/math.E) > 1 {
		t.Errorf("a minute later %v tokens, want 1500 ÷ e", tokens)
	}
	table.Join(1, second)
	if requests, tokens := table.Work(1, second); requests != 2 || tokens != 1500 {
		t.Errorf("a new endpoint counts %v requests, %v tokens; want the others' 2, 1500", requests, tokens)
	}
}

func TestStalePagesTurnIntoOwnCounts(t *testing.T) {
	table := NewTable(1)
	for range 4 {
		table.Begin(0, 0, 100, true)
	}
	if got := table.Busy(0, 0); got != 4 {
		t.Errorf("without a page: %v busy, want the 4 in flight", got)
	}
	page := exposition.Load{Has: exposition.HasRunning | exposition.HasWaiting, Running: 20, Waiting: 6}
	table.Scraped(0, 100*second, &page)
	table.Begin(0, 100*second, 100, true)
	for _, c := range []struct {
		after         int64 // seconds
		busy, waiting float64
	}{{1, 27, 7}, {6, 16, 6}, {10, 5, 5}, {1000, 5, 5}} {
		at := (100 + c.after) * second
		if b, w := table.Busy(0, at), table.Waiting(0, at); b != c.busy || w != c.waiting {
			t.Errorf("%d s after the page: busy %v, waiting %v; want %v, %v", c.after, b, w, c.busy, c.waiting)
		}
	}
	for range 5 {
		table.End(0, 101*second, Answered)
	}
	if got := table.Busy(0, 101*second); got != 22 {
		t.Errorf("after five ends: %v busy, want 22", got)
	}
}

func TestScrapedTellsRestarts(t *testing.T) {
	table := NewTable(1)
	for i, c := range []struct {
		queries float64
		want    bool
	}{{1000, false}, {2000, false}, {2000, false}, {10, true}, {20, false}} {
		page := exposition.Load{Has: exposition.HasRunning | exposition.HasCacheQueries, CacheQueries: c.queries}
		if got := table.Scraped(0, int64(i+1)*second, &page); got != c.want {
			t.Errorf("page %d: restarted %v, want %v", i, got, c.want)
		}
	}
}
