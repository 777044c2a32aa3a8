package worker

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/inspect"
	"warmroute/plugin/share/memstore"
	"warmroute/plugin/traffic"
)

// workerOf is a worker of a proxy with that shared data.
func workerOf(t testing.TB, configuration string, s *memstore.Store) *Worker {
	t.Helper()
	cfg, err := config.Parse([]byte(configuration))
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(&cfg, s, nil, cfg.Seed, second)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// ask sends a chat request through w.
func ask(t *testing.T, w *Worker, text string, now int64) *Exchange {
	t.Helper()
	x := new(Exchange)
	head := &inspect.Head{Method: "POST", Path: "/v1/chat/completions", ContentType: "application/json"}
	if verdict, why := x.Begin(w, head); verdict != inspect.Read {
		t.Fatalf("verdict %d: %s", verdict, why)
	}
	content, _ := json.Marshal(text)
	x.Write(fmt.Appendf(nil, `{"model":"m","messages":[{"role":"user","content":%s}]}`, content))
	if why := x.Decide(true, now); why != "" {
		t.Fatal(why)
	}
	return x
}

const second = int64(1e9)

// shadowRun sends conversations over a few system prompts, and ends each request before the sixth after it.
func shadowRun(t *testing.T, live, shadow string) (agreed, requests, liveTokens, shadowTokens int) {
	t.Helper()
	shared := memstore.New()
	w := workerOf(t, fmt.Sprintf(`{"policy":%q,"shadow":%q,"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80","10.0.0.4:80"],"seed":5,"scrape":{"path":""}}`, live, shadow), shared)
	now := int64(1e18)
	inFlight := func() (n int) {
		for i := range w.pools[0].shadow.pool.Endpoints {
			n += w.pools[0].shadow.pool.InFlight(i)
		}
		return n
	}
	var open []*Exchange
	for i := range 400 {
		now += 50e6
		if i%20 == 0 {
			w.Tick(now)
		}
		x := ask(t, w, strings.Repeat(fmt.Sprintf("System prompt %d. ", i%7), 100)+strings.Repeat("More. ", i%11*50), now)
		c, ok := x.Comparison()
		if !ok {
			t.Fatal("the shadow has not decided")
		}
		if requests++; c.Agrees {
			agreed++
		}
		liveTokens, shadowTokens = liveTokens+c.Live, shadowTokens+c.Shadow
		if open = append(open, x); len(open) > 5 {
			open[0].Headers(Server{Address: open[0].Address()}, 200, "application/json", now)
			open[0].Complete()
			open[0].End(now, false)
			open = open[1:]
		}
	}
	if got := inFlight(); got != len(open) {
		t.Errorf("the shadow has %d requests in flight; %d are open", got, len(open))
	}
	for _, x := range open {
		x.Headers(Server{Address: x.Address()}, 200, "application/json", now)
		x.End(now, true)
		x.End(now, true)
	}
	if got := inFlight(); got != 0 {
		t.Errorf("at rest the shadow has %d requests in flight", got)
	}
	ours := 0
	keys := shared.Keys()
	for _, key := range keys {
		if live, ok := strings.CutPrefix(key, "shadow."); ok {
			ours++
			if !slices.Contains(keys, live) {
				t.Errorf("the shadow writes to %q, which the live worker has nothing like", key)
			}
		}
	}
	if ours == 0 {
		t.Error("the shadow shares nothing")
	}
	return agreed, requests, liveTokens, shadowTokens
}

// A policy agrees with itself: the shadow's books are kept as the live ones are.
func TestShadowOfItselfAgrees(t *testing.T) {
	for _, policy := range []string{"random", "round_robin", "prefix_hash", "join_shortest_queue", "cache_aware"} {
		agreed, requests, live, shadow := shadowRun(t, policy, policy)
		if agreed != requests || live != shadow {
			t.Errorf("%s: agrees with itself on %d of %d; expects %d and %d tokens", policy, agreed, requests, live, shadow)
		}
	}
}

// Prompts that are refused at once do not count among those that come back, in the shadow as in the live pool.
func TestRefusedPromptsDoNotReturnToTheShadow(t *testing.T) {
	w := workerOf(t, `{"policy":"cache_aware","shadow":"cache_aware","endpoints":["10.0.0.1:80","10.0.0.2:80"],"seed":5,"scrape":{"path":""}}`, memstore.New())
	now := 2 * second
	for i := range 10 {
		w.Tick(now)
		x := ask(t, w, strings.Repeat("Some text. ", 100*(i+1)), now)
		x.Headers(Server{Address: x.Address()}, []int{200, 400}[i%2], "application/json", now)
		x.Complete()
		x.End(now, false)
		now += second
	}
	p := w.pools[0]
	if live, shadow := traffic.HabitsOf(&p.known.Returns, &p.known.Stays), traffic.HabitsOf(&p.shadow.pool.Returns, &p.shadow.pool.Stays); live != shadow {
		t.Errorf("the shadow has counted %v, the live pool %v", shadow, live)
	}
}

// The shadow tells what another policy would be worth: it expects the hits of its own placement.
func TestShadowExpectsItsOwnHits(t *testing.T) {
	agreed, requests, random, hash := shadowRun(t, "random", "prefix_hash")
	if agreed == requests || agreed == 0 {
		t.Errorf("prefix_hash agrees with chance on %d of %d", agreed, requests)
	}
	if hash <= random {
		t.Errorf("expected tokens: prefix_hash %d, random %d; want more", hash, random)
	}
}

func TestNoShadow(t *testing.T) {
	w := workerOf(t, `{"endpoints":["10.0.0.1:80"]}`, memstore.New())
	if _, ok := ask(t, w, "Hello", second).Comparison(); ok || w.pools[0].shadow != nil {
		t.Error("a shadow that was not asked for")
	}
}

// The shadow goes on ticking after the clock was set back.
func TestShadowWhenTheClockIsSetBack(t *testing.T) {
	w := workerOf(t, `{"endpoints":["10.0.0.1:80"],"shadow":"random"}`, memstore.New())
	for _, now := range []int64{5000, 5002, 100, 102} {
		w.Tick(now * second)
		if got := w.pools[0].shadow.second; got != now*second {
			t.Errorf("at %d s the shadow ticked last at %d s", now, got/second)
		}
	}
}

// When no new request comes to a worker, the others count none of its requests any more: neither the policy's nor the shadow's. Among
// so many at once the last wait for a tick, which may not come.
func TestFlushTellsTheShadowsEnds(t *testing.T) {
	const configuration = `{"endpoints":["10.0.0.1:80","10.0.0.2:80"],"shadow":"prefix_hash","seed":5,"scrape":{"path":""}}`
	shared := memstore.New()
	a, b := workerOf(t, configuration, shared), workerOf(t, configuration, shared)
	now := 2 * second
	for _, w := range []*Worker{a, b} {
		ask(t, w, "Hello.", now).End(now, false)
	}
	now += 2 * second
	a.Tick(now)
	b.Tick(now)
	var open []*Exchange
	for i := range 300 {
		open = append(open, ask(t, a, fmt.Sprintf("Question %d.", i), now))
	}
	for _, x := range open {
		x.End(now, true)
	}
	a.Flush(now)
	b.Tick(now)
	ask(t, b, "Hello again.", now).End(now, false)
	for e := range 2 {
		if live, shadow := b.pools[0].known.InFlight(e), b.pools[0].shadow.pool.InFlight(e); live != 0 || shadow != 0 {
			t.Errorf("endpoint %d: %d in flight, in the shadow %d, want none", e, live, shadow)
		}
	}
}
