package worker

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/inspect"
	"warmroute/plugin/share/memstore"
)

// several is a configuration of n pools by cluster, c0 to cn−1, all over the same endpoints.
func several(t *testing.T, n, endpoints int) *config.Config {
	t.Helper()
	var addresses, pools []string
	for i := range endpoints {
		addresses = append(addresses, fmt.Sprintf(`"10.0.0.%d:80"`, i+1))
	}
	for i := range n {
		pools = append(pools, fmt.Sprintf(`{"name": "p%d", "match": {"cluster": "c%d"}, "endpoints": [%s]}`, i, i, strings.Join(addresses, ",")))
	}
	cfg, err := config.Parse([]byte(`{"seed": 1, "scrape": {"path": ""}, "pools": [` + strings.Join(pools, ",") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return &cfg
}

func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// What a worker keeps grows with its endpoints and with what they hold, not with the number of pools over them: a hundred pools
// take less than a hundred times as much as one by far.
func TestMemoryOfPools(t *testing.T) {
	const requests = 3000
	text := strings.Repeat("The pear trees along the south wall want pruning. ", 80)
	var start, end [3]int
	for k, pools := range [...]int{1, 10, 100} {
		cfg := several(t, pools, 64)
		before := heap()
		store := memstore.New()
		w, err := New(cfg, store, nil, 1, second)
		if err != nil {
			t.Fatal(err)
		}
		w.Tick(second)
		start[k] = heap() - before
		var x Exchange
		now := second
		for i := range requests {
			x.Begin(w, &inspect.Head{Method: "POST", Path: "/v1/chat/completions", ContentType: "application/json", Cluster: fmt.Sprintf("c%d", i%pools)})
			x.Write(fmt.Appendf(nil, `{"model": "m", "messages": [{"role": "user", "content": "%d %s"}]}`, i, text))
			x.Decide(true, now)
			x.End(now, false)
			now += 1e7
		}
		end[k] = heap() - before - store.Bytes()
		t.Logf("%3d pools over 64 endpoints: %5d KB at the start, %5d KB after %d requests, %5d KB in shared data", pools, start[k]>>10, end[k]>>10, requests, store.Bytes()>>10)
		runtime.KeepAlive(w)
	}
	if start[2] > 45*start[0] || end[2] > 45*end[0] {
		t.Errorf("100 pools take %d and %d KB, one %d and %d: more than 45 times as much", start[2]>>10, end[2]>>10, start[0]>>10, end[0]>>10)
	}
}
