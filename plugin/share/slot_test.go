package share

import (
	"testing"

	"warmroute/plugin/health"
	"warmroute/plugin/pool"
	"warmroute/plugin/share/memstore"
)

// near allows for a unit of time.
func near(got, want float64) bool { return got <= want && want-got < 1 }

// A worker counts the tokens that all workers have queued and routed lately, as a single one would.
func TestTokensOfPeers(t *testing.T) {
	m := memstore.New()
	a, b := newWorker(t, m, two, 0), newWorker(t, m, two, 0)
	a.begin(1, 1000)
	left := a.begin(1, 600)
	a.Publish(1e9)
	b.Sync(1e9)
	given := b.pool.Look(1e9)[1].Given(b.pool.Faded())
	requests := b.pool.OtherRequests()
	if _, work, line := a.pool.OwnLoad(1, 1e9); line.Queued != 1600 || !near(b.pool.Queue(1, 1e9), 1600) || given != work || requests != 2 {
		t.Errorf("b reads %v tokens queued, %v given in %v requests; want 1600, %v and 2", b.pool.Queue(1, 1e9), given, requests, work)
	}
	a.pool.End(left, 1e9, pool.Outcome{Ending: health.Cancelled})
	a.Publish(1e9)
	b.Sync(1e9)
	if got := b.pool.Queue(1, 1e9); !near(got, 1000) {
		t.Errorf("after one left b reads %v tokens, want 1000", got)
	}
}
