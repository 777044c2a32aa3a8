package main

import (
	"testing"

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
