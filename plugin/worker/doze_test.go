package worker

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/plugin/share/memstore"
)

// A worker that dozes keeps no index, reads nothing of what the others route, and counts its requests, at the others too, until they end.
func TestDoze(t *testing.T) {
	const endpoints = `{"endpoints":["10.0.0.1:80","10.0.0.2:80"],"scrape":{"path":""},"seed":1%s}`
	store := memstore.New()
	former, newer := workerOf(t, fmt.Sprintf(endpoints, ""), store), workerOf(t, fmt.Sprintf(endpoints, `,"cache_aware":{"affinity":2}`), store)
	prompt := func(w *Worker, n int, now int64) *Exchange {
		x, code := send(w, "/v1/completions", "", fmt.Sprintf(`{"model":"m","prompt":"%d%s"}`, n, strings.Repeat(" and so on", 300)), now)
		if code != "" {
			t.Fatalf("prompt %d is passed: %s", n, code)
		}
		return x
	}
	answered := func(x *Exchange, now int64) {
		x.Headers(Server{Address: x.Address()}, 200, "application/json", now)
		x.Chunk(now)
		x.Complete()
		x.End(now, false)
	}
	inFlight := func(w *Worker, now int64) (sum int) {
		w.pools[0].board.Sync(now)
		for e := range w.pools[0].known.Endpoints {
			sum += w.pools[0].known.InFlight(e)
		}
		return sum
	}
	for n := range 100 {
		answered(prompt(former, n, second), 2*second)
	}
	open := []*Exchange{prompt(former, 100, 3*second), prompt(former, 101, 3*second)}
	answered(prompt(newer, 102, 3*second), 4*second)
	if full := former.pools[0].known.Index; full.Pairs() < 500 {
		t.Fatalf("the index has %d pairs", full.Pairs())
	}
	former.Doze(14 * second)
	for now := 15 * second; now < 40*second; now += second {
		former.Tick(now)
		newer.Tick(now)
		answered(prompt(newer, int(200+now/second), now), now+second/2)
		if got := inFlight(newer, now); got != 2 {
			t.Fatalf("after %d s the other counts %v in flight, want 2", now/second, got)
		}
	}
	if index := former.pools[0].known.Index; index.Pairs() != 0 || index.Bytes() > 16<<10 {
		t.Errorf("the index has %d pairs and %d bytes", index.Pairs(), index.Bytes())
	}
	for _, x := range open {
		x.End(40*second, false)
	}
	former.Tick(41 * second)
	newer.Tick(41 * second)
	if got := inFlight(newer, 41*second); got != 0 {
		t.Errorf("they have ended, and %v are in flight", got)
	}
}
