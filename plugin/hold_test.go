package main

import (
	"testing"

	"warmroute/plugin/worker"
)

// Between two asks nothing of those that wait leads to a filter: one that is gone would keep its index.
func TestAsksKeepNoFilter(t *testing.T) {
	was := routing
	t.Cleanup(func() {
		held.queue, held.workers, routing = 0, nil, was
	})
	held.queue, routing = 1, []*plugin{{worker: &worker.Worker{}}, {worker: &worker.Worker{}}}
	if (&plugin{}).keep(1, "00", 1) {
		t.Error("what is no ask waits")
	}
	if len(held.workers) != 2 {
		t.Fatalf("%d filters were asked, want 2", len(held.workers))
	}
	for i, w := range held.workers {
		if w != nil {
			t.Errorf("filter %d is kept", i)
		}
	}
}
