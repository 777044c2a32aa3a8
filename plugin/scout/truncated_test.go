package scout

import (
	"fmt"
	"strings"
	"testing"
)

// A page that ends early may lack engines: no worker believes what it says of the server's load and memory, whoever has read it.
func TestTruncatedPagesReachAllWorkersAsSuch(t *testing.T) {
	w := newWorld(t, `{"endpoints": ["10.0.0.1:80"], "data_parallel_ranks": 1, "scrape": {"cluster": "vllm"}}`, 3)
	engine := fmt.Sprintf(page, 1000)
	w.metrics["10.0.0.1:80"] = engine + strings.ReplaceAll(engine, `engine="0"`, `engine="1"`)
	w.step(2)
	requests, fits := w.workers[0].pool.Requests(0, w.now), int64(0)
	if fits, _ = w.workers[0].pool.Index.Capacity(0); fits == 0 || requests < 1 {
		t.Fatalf("%d bytes fit, %v requests", fits, requests)
	}
	w.metrics["10.0.0.1:80"] = engine + "# HELP"
	w.step(1.4)
	for i, worker := range w.workers {
		if got, _ := worker.pool.Index.Capacity(0); got != fits {
			t.Errorf("worker %d, which leads %v: %d bytes fit, and %d did", i, worker.Leads(), got, fits)
		}
		if got := worker.pool.Requests(0, w.now); got > requests || got < requests-1 { // the last whole page grows old
			t.Errorf("worker %d, which leads %v: %v requests, and there were %v", i, worker.Leads(), got, requests)
		}
	}
}
