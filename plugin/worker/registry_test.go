package worker

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/scout"
	"warmroute/plugin/share/memstore"
)

func names(w *Worker) (list []string) {
	for _, p := range w.Pools() {
		list = append(list, p.Name())
	}
	slices.Sort(list)
	return list
}

// A pool that one worker has found is there in all others, also those that start later, at their next tick; one that makes room in
// one does not come back from the list.
func TestAllWorkersHaveThePoolsOfAPattern(t *testing.T) {
	m := memstore.New()
	const configuration = `{"scrape": {"path": ""}, "pools": [{"name": "svc-*", "match": {"cluster": "out||*.models", "max_clusters": 2}}]}`
	a, b := workerOf(t, configuration, m), workerOf(t, configuration, m)
	a.bundler.to, b.bundler.to = nobody{}, nobody{}
	ask := func(w *Worker, name string, now int64) {
		x, _ := send(w, "/v1/completions", "out||"+name+".models", `{"prompt":"x"}`, now)
		x.End(now, false)
	}
	want := func(w *Worker, when string, list ...string) {
		t.Helper()
		if got := names(w); !slices.Equal(got, list) {
			t.Errorf("%s: pools %v, want %v", when, got, list)
		}
	}
	a.Tick(second)
	ask(a, "one", second)
	b.Tick(2 * second)
	want(b, "the other worker", "svc-one")
	ask(b, "two", 2*second)
	a.Tick(3 * second)
	want(a, "the first worker", "svc-one", "svc-two")
	c := workerOf(t, configuration, m)
	c.bundler.to = nobody{}
	c.Tick(4 * second)
	want(c, "one that starts later", "svc-one", "svc-two")
	now := 4 * second
	for range 12 { // "two" is in use in b alone
		now += 61 * second
		ask(b, "two", now)
		for _, w := range []*Worker{a, b, c} {
			w.Tick(now)
		}
	}
	ask(a, "three", now)
	for _, w := range []*Worker{a, b, c} {
		w.Tick(now + second)
	}
	for i, w := range []*Worker{a, b, c} {
		want(w, fmt.Sprintf("worker %d, after another one took the place of what nobody uses", i), "svc-three", "svc-two")
	}
	for range 5 { // lists do not grow for ever
		now += 700 * second
		for _, w := range []*Worker{a, b, c} {
			w.Tick(now)
		}
		ask(a, "four", now)
	}
	if value, _, _ := m.Get(a.registry.key); len(value) > 60 {
		t.Errorf("the list has %d bytes: %q", len(value), value)
	}
}

// After the clock was set back by a day, a pool that nobody uses makes room as early as ever.
func TestUnusedPoolsMakeRoomWhenTheClockIsSetBack(t *testing.T) {
	m := memstore.New()
	const configuration = `{"scrape": {"path": ""}, "pools": [{"name": "svc-*", "match": {"cluster": "out||*.models", "max_clusters": 2}}]}`
	a, b := workerOf(t, configuration, m), workerOf(t, configuration, m)
	a.bundler.to, b.bundler.to = nobody{}, nobody{}
	ask := func(name string, now int64) {
		a.Tick(now)
		b.Tick(now)
		x, _ := send(a, "/v1/completions", "out||"+name+".models", `{"prompt":"x"}`, now)
		x.End(now, false)
	}
	now := 100_000 * second
	ask("one", now)
	ask("two", now+second)
	for now = 10_000 * second; now < 10_700*second; now += 61 * second {
		ask("two", now)
	}
	ask("three", now)
	a.Tick(now + second)
	b.Tick(now + second)
	for _, w := range []*Worker{a, b} {
		if got, want := names(w), []string{"svc-three", "svc-two"}; !slices.Equal(got, want) {
			t.Errorf("pools %v, want %v", got, want)
		}
	}
}

// Clusters that come and go for ever leave little in shared data, which cannot forget a key: the names of pools that have made room, and no
// log of theirs.
func TestPoolsThatHaveGoneLeaveLittle(t *testing.T) {
	store := memstore.New()
	w := workerOf(t, `{"scrape": {"path": ""}, "shadow": "cache_aware", "pools": [{"name": "svc-*", "match": {"cluster": "out||*.models", "max_clusters": 2}}]}`, store)
	w.bundler.to = nobody{}
	text, most := strings.Repeat("The pear trees along the south wall want pruning. ", 80), 0
	for n := range 30 {
		now := int64(1+n*700) * second
		w.Tick(now)
		cluster := fmt.Sprintf("out||%d.models", n)
		x, _ := send(w, "/v1/completions", cluster, `{"prompt":"x"}`, now) // it has no endpoints yet
		x.End(now, false)
		w.finder.clusters[cluster].known.Place(0, config.Endpoint{Address: "10.0.0.1:80", Weight: 1}, now)
		for i := range 200 {
			x, code := send(w, "/v1/completions", cluster, fmt.Sprintf(`{"model":"m","prompt":"%d %s"}`, i, text), now)
			if code != "" {
				t.Fatalf("cluster %d: %s", n, code)
			}
			x.End(now, false)
		}
		if n == 2 {
			most = store.Bytes() * 3 / 2
		}
	}
	if got := store.Bytes(); got > most {
		t.Errorf("%d bytes after 30 clusters, two at a time; want at most %d", got, most)
	}
}

// nobody answers no call.
type nobody struct{}

func (nobody) Get(scout.Call) bool { return true }

func FuzzRegistry(f *testing.F) {
	f.Add([]byte("\x01\x00\x00\x00\x02\x00ab"), "ab")
	f.Fuzz(func(t *testing.T, list []byte, cluster string) {
		w := &Worker{}
		at := find(list, cluster)
		if at >= 0 && string(list[at+registryHead:at+registryHead+len(cluster)]) != cluster {
			t.Error("found where it is not")
		}
		if kept := w.recent(append([]byte(nil), list...)); len(kept) > len(list) {
			t.Error("it has grown")
		}
	})
}
