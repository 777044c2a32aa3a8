package scout

import (
	"strings"
	"testing"

	"warmroute/plugin/share"
)

func TestElect(t *testing.T) {
	const me, other = 1, 2
	now := 1000 * second
	record := func(owner uint32, left int64) []byte { return appendLease(nil, lease{owner: owner, end: now + left}) }
	weak := func(owner uint32, left int64) []byte { return appendLease(nil, lease{owner, now + left, 1}) }
	newer := record(other, second)
	newer[0]++
	for _, c := range []struct {
		name   string
		record []byte
		want   standing
	}{
		{"no record", nil, claim},
		{"broken", []byte("x"), claim},
		{"another version", newer, claim},
		{"another leads", record(other, second), follower},
		{"another has just ended", record(other, 0), claim},
		{"another ended long ago", record(other, -999*second), claim},
		{"another's clock is broken", record(other, maxLease+1), claim},
		{"another's clock is absurd", appendLease(nil, lease{owner: other, end: -1 << 63}), claim},
		{"own and fresh", record(me, 3*second), leader},
		{"own and half over", record(me, 2*second), renew},
		{"own and ended", record(me, -1), claim},
		{"another leads weakly", weak(other, second), claim},
		{"own, and was weak", weak(me, 3*second), renew},
	} {
		l, got := elect(c.record, me, now, 4*second, 0)
		if got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
		if got >= renew && l != (lease{owner: me, end: now + 4*second}) {
			t.Errorf("%s: the lease to write is %v", c.name, l)
		}
	}
	for record, want := range map[string]standing{string(record(other, second)): follower, string(weak(other, second)): follower, string(weak(me, 3*second)): leader,
		string(record(me, 3*second)): renew, string(weak(me, second)): renew} {
		if l, got := elect([]byte(record), me, now, 4*second, 1); got != want || got == renew && l != (lease{me, now + 4*second, 1}) {
			t.Errorf("a weak worker after %v: got %d with %v, want %d", []byte(record), got, l, want)
		}
	}
	if l, _ := elect(nil, me, now, 1<<62, 0); l.end != now+maxLease {
		t.Errorf("a lease of a century ends at %d", l.end)
	}
}

// Workers that tick at their own times, die and come back: never two leaders at once, and a new one soon.
func TestElection(t *testing.T) {
	const length = 4 * second
	var record []byte
	until := map[uint32]int64{} // end of the lease of each worker that believes that it leads
	alone := int64(0)
	for now := int64(0); now < 300*second; now += second / 10 {
		for worker := uint32(1); worker <= 4; worker++ {
			dead := now/(20*second)%4 == int64(worker)-1 // each in turn for 20 s
			if dead || (now/(second/10)+int64(worker)*3)%10 != 0 {
				continue
			}
			l, place := elect(record, worker, now, length, 0)
			if place >= renew {
				record = appendLease(nil, l)
			}
			if place != follower {
				until[worker] = l.end
			}
		}
		leaders := 0
		for _, end := range until {
			if end > now {
				leaders++
			}
		}
		switch {
		case leaders > 1:
			t.Fatalf("at %d: %d leaders", now, leaders)
		case leaders == 1:
			alone = now
		case now-alone > 2*second:
			t.Fatalf("at %d: no leader since %d", now, alone)
		}
	}
}

// While a module is being replaced, workers of two formats are in one proxy and cannot read what the others write. So each have a
// leader of their own: whatever a worker writes is under the key of the formats.
func TestEachFormatHasALeader(t *testing.T) {
	w := newWorld(t, `{"discovery": {"cluster": "vllm", "admin_cluster": "admin"}, "scrape": {"cluster": "vllm", "models": "/v1/models"}}`, 1)
	w.hosts = host("10.0.0.1", "")
	if w.step(3); !w.workers[0].Leads() {
		t.Fatal("a worker alone does not lead")
	}
	for _, key := range w.store.Keys() {
		if !strings.HasPrefix(key, share.KeyPrefix) {
			t.Errorf("%s does not begin with %s", key, share.KeyPrefix)
		}
	}
}

// A leader that ends with its filter's configuration resigns, and another one leads at its next tick, not seconds later.
func TestLeaderResigns(t *testing.T) {
	w := newWorld(t, `{"discovery": {"cluster": "vllm", "admin_cluster": "admin"}}`, 2)
	w.hosts = host("10.0.0.1", "")
	w.step(3)
	first, second := w.workers[0], w.workers[1]
	if second.Leads() {
		first, second = second, first
	}
	second.Resign() // which does not lead
	if w.step(1); !first.Leads() || second.Leads() {
		t.Fatal("it is not the first alone that leads")
	}
	first.dead = true
	first.Resign()
	if w.step(.4); !second.Leads() {
		t.Error("the first has resigned, and the second does not lead")
	}
}

// One that has stalled while its lease ended, and ends before its next tick, takes it from nobody.
func TestStalledLeaderTakesNoLease(t *testing.T) {
	w := newWorld(t, `{"discovery": {"cluster": "vllm", "admin_cluster": "admin"}}`, 3)
	w.hosts = host("10.0.0.1", "")
	w.step(3)
	leader := func() (at int) {
		for i, worker := range w.workers {
			if worker.Leads() && !worker.dead {
				at = i
			}
		}
		return at
	}
	stalled := w.workers[leader()]
	stalled.dead = true
	w.step(8)
	next := w.workers[leader()]
	if next == stalled || !next.Leads() || !stalled.Leads() {
		t.Fatal("want a new leader, and one of before that does not know of it")
	}
	stalled.Resign()
	if record, _, _ := w.store.Get(next.leaseKey); len(record) != leaseSize {
		t.Errorf("the lease is %v: it was taken from the new leader", record)
	}
}

func FuzzLease(f *testing.F) {
	f.Add(appendLease(nil, lease{owner: 3, end: 9}), int64(4))
	f.Add([]byte{1, 0, 255, 255}, int64(1))
	f.Fuzz(func(t *testing.T, record []byte, now int64) {
		l, place := elect(record, 1, now, second, 0)
		if written, ok := readLease(appendLease(nil, l)); place >= renew && (!ok || written != l || l.owner != 1) {
			t.Fatalf("%d, lease %v", place, l)
		}
	})
}

func TestLeaseWithoutAllocation(t *testing.T) {
	buffer := make([]byte, 0, leaseSize)
	if n := testing.AllocsPerRun(100, func() {
		l, _ := elect(buffer, 1, 5, second, 0)
		buffer = appendLease(buffer[:0], l)
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}
