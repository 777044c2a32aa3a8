package share

import (
	"math"
	"testing"

	"warmroute/plugin/share/memstore"
	"warmroute/plugin/traffic"
)

// What conversations lost at an endpoint fades by itself, in minutes: a worker whose request has paid for it, and that has none for a minute,
// has not got it back. Else another conversation would leave for the same losses.
func TestWhatWasPaidIsToldByAWorkerWithoutRequests(t *testing.T) {
	m := memstore.New()
	a, b := newWorker(t, m, two, 0), newWorker(t, m, two, 0)
	now := int64(1e9)
	turn := func(n int) {
		for range n {
			now += 1e9
			a.respond(1, 1, 1e-4)
			for _, w := range []worker{a, b} {
				w.Tick(now)
				w.ShareSpeeds(now)
			}
		}
	}
	b.respond(1, 1, 1e-4)
	for range 12 {
		a.pool.NoteThrash(0, 1000, now)
	}
	turn(2)
	b.pool.NoteThrash(0, -9000, now)
	for _, seconds := range []int{2, 100, 300} {
		turn(seconds)
		got, _ := a.pool.Thrash(0, now)
		if want := 3000 * math.Exp(-float64(now-1e9)/300e9); math.Abs(got-want) > 200 {
			t.Errorf("after %d s more %.0f tokens are lost, want %.0f", seconds, got, want)
		}
	}
	if got := a.pool.OwnSpeed(0, now+3600e9).Thrash; got != (traffic.Thrash{}) {
		t.Errorf("an hour later it tells %v", got)
	}
}

// A worker that claims the slot of one that is gone tells nothing of what that one has lost.
func TestWhoClaimsASlotTellsItsOwn(t *testing.T) {
	m := memstore.New()
	a, gone := newWorker(t, m, two, 0), newWorker(t, m, two, 0)
	now := int64(1e9)
	for _, w := range []worker{a, gone} {
		w.respond(1, 1, 1e-4)
		w.Tick(now)
		w.ShareSpeeds(now)
	}
	gone.pool.NoteThrash(0, 9000, now)
	gone.ShareSpeeds(now + 1e9)
	for ; now < 60e9; now += 1e9 {
		a.Tick(now)
		a.ShareSpeeds(now)
	}
	newWorker(t, m, two, now) // it has no tick yet
	a.Tick(now)
	a.ShareSpeeds(now)
	if got, _ := a.pool.Thrash(0, now); got != 0 || len(a.live) != 1 {
		t.Errorf("%.0f tokens of one that is gone are lost", got)
	}
}
