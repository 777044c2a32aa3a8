package worker

import (
	"testing"

	"warmroute/plugin/gossip"
	"warmroute/plugin/news"
)

// An ask that comes once more, or after a later one of its gateway for the same pool, is refused, with all of its header; it touches no other
// gateway's.
func TestReplayedAsks(t *testing.T) {
	const ms = int64(1e6)
	key, now, id := news.NewKey("a secret of gateways"), int64(1e15), uint32(0)
	var q Asks
	ask := func(from, dialect, number uint64) string {
		return news.Hex((&news.Ask{From: from, Dialect: dialect, Number: number, Hold: 100}).Append(nil, key))
	}
	forged := news.Hex((&news.Ask{From: 1, Dialect: 1, Number: 1 << 60}).Append(nil, news.NewKey("another secret")))
	many := func(from, asks uint64) (header string) {
		for pool := range asks {
			header += ask(from, pool, 1) + ","
		}
		return header
	}
	for _, c := range []struct {
		name, header string
		later        int64
		fault        gossip.Fault
	}{
		{"the first", ask(1, 1, 7), 0, ""},
		{"the same", ask(1, 1, 7), 0, gossip.Replayed},
		{"a former one", ask(1, 1, 6), 0, gossip.Replayed},
		{"forged", forged, 0, gossip.Secret},
		{"the next", ask(1, 1, 8), 0, ""},
		{"for another pool", ask(1, 2, 8), 0, ""},
		{"another gateway's", ask(2, 1, 3), 0, ""},
		{"the same beside a new one", ask(1, 3, 9) + "," + ask(1, 1, 8), 0, gossip.Replayed},
		{"the same behind one for no pool", ask(1, noPool, 9) + "," + ask(1, 1, 8), 0, gossip.Replayed},
		{"the same behind a forged one", forged + "," + ask(1, 1, 8), 0, gossip.Secret},
		{"the same behind what is none", "00," + ask(1, 1, 8), 0, gossip.Secret},
		{"a new one before a forged one", ask(3, 1, 1) + "," + forged, 0, gossip.Secret},
		{"a new one beside one for no pool", ask(4, 1, 1) + "," + ask(4, noPool, 1), 0, ""},
		{"a new one twice", ask(5, 1, 1) + "," + ask(5, 1, 1), 0, gossip.Replayed},
		{"as many as there may be", many(6, mostAsks), 0, ""},
		{"more", many(7, mostAsks+1), 0, gossip.Format},
		{"of a worker whose clock was set back", ask(1, 1, 5), 61_000 * ms, ""},
	} {
		now += c.later
		id++
		_, fault := q.Keep(id, c.header, func(one []byte, _ func()) (int64, bool, gossip.Fault) {
			var of news.Ask
			if of.Read(one, key) != nil {
				return 0, false, gossip.Secret
			}
			if of.Dialect == noPool {
				return 0, false, gossip.Hashing
			}
			return 100 * ms, false, ""
		}, now)
		if fault != c.fault {
			t.Errorf("%s: fault %q, want %q", c.name, fault, c.fault)
		}
	}
	for i := range uint64(3 * mostAskers) {
		q.Keep(1, ask(i, 0, 1), func([]byte, func()) (int64, bool, gossip.Fault) { return 0, false, "" }, now)
	}
	if len(q.askers) > mostAskers {
		t.Errorf("%d gateways are known, want %d at most", len(q.askers), mostAskers)
	}
}

// Asks that may not wait have a bound of their own, and one beyond it has its turn at a tick; strangers take none of it.
func TestAsksAtOnceAreBounded(t *testing.T) {
	const ms = int64(1e6)
	now, number, answered, refused := int64(1e15), uint64(0), 0, 0
	q := Asks{Answers: 200}
	keep := func(fault gossip.Fault) (waits bool, why gossip.Fault) {
		number++
		header := news.Hex((&news.Ask{From: number % 8, Number: number}).Append(nil, news.NewKey("a secret of gateways")))
		return q.Keep(uint32(number), header, func([]byte, func()) (int64, bool, gossip.Fault) { return 0, false, fault }, now)
	}
	for range 10_000 {
		if waits, _ := keep(gossip.Secret); waits {
			t.Fatal("a stranger's ask waits")
		}
		if waits, _ := q.Keep(1, "", nil, now); waits {
			t.Fatal("what has no ask waits")
		}
	}
	const seconds = 10
	for range seconds * 1000 { // an ask each ms, one that starts and replays of others
		now += ms
		switch waits, fault := keep(""); {
		case fault != "":
			refused++
		case !waits:
			answered++
		}
		answered += len(q.Tick(now))
		if got := q.Woken(now); len(got) > 0 {
			t.Fatalf("%d are answered because there is something to tell", len(got))
		}
	}
	if most := mostAtOnce*seconds + 200; answered > most || answered < most-10 {
		t.Errorf("%d were answered in %d s, want %d", answered, seconds, most)
	}
	if answered+refused+len(q.list) != seconds*1000 || len(q.list) != mostWaiting {
		t.Errorf("%d were answered, %d refused, %d wait", answered, refused, len(q.list))
	}
}
