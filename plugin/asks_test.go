package main

import (
	"testing"

	"warmroute/plugin/gossip"
	"warmroute/plugin/news"
	"warmroute/plugin/worker"
)

// Between two asks nothing of those that wait leads to a filter: one that is gone would keep its index.
func TestAsksKeepNoFilter(t *testing.T) {
	was := routing
	t.Cleanup(func() {
		asks.queue, asks.workers, routing = 0, nil, was
	})
	asks.queue, routing = 1, []*plugin{{worker: &worker.Worker{}}, {worker: &worker.Worker{}}}
	if waits, _ := (&plugin{}).keep(1, "00", 1); waits {
		t.Error("what is no ask waits")
	}
	if len(asks.workers) != 2 {
		t.Fatalf("%d filters were asked, want 2", len(asks.workers))
	}
	for i, w := range asks.workers {
		if w != nil {
			t.Errorf("filter %d is kept", i)
		}
	}
}

// Each ask is looked at once it has come, with a queue or while there is none, whichever of several filters knows its secret.
func TestEachAskIsChecked(t *testing.T) {
	secrets := [...]string{"the secret of one", "and of the other", "a third one's secret"}
	routeWith(t, secrets[:2]...)
	was := asks.by
	t.Cleanup(func() {
		asks.Asks, asks.queue, asks.by = worker.Asks{}, 0, was
	})
	for _, queue := range []uint32{0, 1} {
		asks.Asks, asks.queue, asks.by = worker.Asks{}, queue, map[uint32]waitingAsk{}
		number, now := uint64(1), int64(1e15)
		ask := func(secret, pool string) string {
			key := news.NewKey(secret)
			number++
			q := news.Ask{From: 3, Number: number, Dialect: gossip.Dialect(key, routing[0].cfg.BlockBytes, pool), Of: 7, Hold: 100}
			return news.Hex(q.Append(nil, key))
		}
		for i, secret := range secrets[:2] {
			seen, stranger := ask(secret, ""), ask(secrets[2], "")
			for _, c := range []struct {
				name, header string
				fault        gossip.Fault
			}{
				{"an ask", seen, ""},
				{"the same", seen, gossip.Replayed},
				{"the same behind a stranger's", stranger + "," + seen, gossip.Secret},
				{"the same behind what is none", "00," + seen, gossip.Format},
				{"one for no pool beside another", ask(secret, "no pool") + "," + ask(secret, ""), ""},
			} {
				now += 1e9
				waits, fault := (&plugin{}).keep(1, c.header, now)
				if fault != c.fault || waits != (fault == "" && queue != 0) {
					t.Errorf("queue %d, filter %d, %s: waits %v, fault %q, want %q", queue, i, c.name, waits, fault, c.fault)
				}
			}
		}
	}
}
