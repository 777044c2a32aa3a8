package inspect

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/prompt"
	"warmroute/plugin/route"
	"warmroute/plugin/share"
	"warmroute/plugin/share/memstore"
)

// shadowRun sends conversations over a few system prompts, and ends each request before the sixth after it.
func shadowRun(t *testing.T, live, shadow string) (s *Shadow, agreed, requests, liveTokens, shadowTokens int) {
	t.Helper()
	cfg, err := config.Parse(fmt.Appendf(nil, `{"policy":%q,"shadow":%q,"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80","10.0.0.4:80"],"seed":5}`, live, shadow))
	if err != nil {
		t.Fatal(err)
	}
	store, ours := memstore.New(), memstore.New()
	r := route.New(&cfg, cfg.Seed)
	b := share.New(store, r)
	s = NewShadow(&cfg, r, ours, cfg.Seed)
	now := int64(1e18)
	var open []*Answer
	for i := range 400 {
		now += 50e6
		if i%20 == 0 {
			r.Tick(now)
			b.Tick(now)
			s.Tick(b, now)
		}
		text := strings.Repeat(fmt.Sprintf("System prompt %d. ", i%7), 100) + strings.Repeat("More. ", i%11*50)
		req := &route.Request{Prompt: &prompt.Prompt{Text: []byte(text), Model: []byte("m")}}
		a := &Answer{}
		a.Decide(r, b, req, &route.Decision{}, now)
		o := a.DecideShadow(s, req, now)
		if requests++; o.Agrees() {
			agreed++
		}
		l, e := o.Expected()
		liveTokens, shadowTokens = liveTokens+l, shadowTokens+e
		if open = append(open, a); len(open) > 5 {
			open[0].Headers(Server{Address: open[0].Address()}, 200, "application/json", now)
			open[0].Complete()
			open[0].End(now, false)
			open = open[1:]
		}
	}
	if got := s.router.Load.Total(); got != len(open) {
		t.Errorf("the shadow has %d requests in flight; %d are open", got, len(open))
	}
	for _, a := range open {
		a.Headers(Server{Address: a.Address()}, 200, "application/json", now)
		a.End(now, true)
		a.End(now, true)
	}
	if got := s.router.Load.Total(); got != 0 {
		t.Errorf("at rest the shadow has %d requests in flight", got)
	}
	for _, key := range ours.Keys() {
		if !strings.HasPrefix(key, "shadow.") {
			t.Errorf("the shadow writes to %q", key)
		}
	}
	if got, want := len(ours.Keys()), len(store.Keys()); got != want {
		t.Errorf("the shadow shares %d keys, the live policy %d", got, want)
	}
	return s, agreed, requests, liveTokens, shadowTokens
}

// A policy agrees with itself: the shadow's books are kept as the live ones are.
func TestShadowOfItselfAgrees(t *testing.T) {
	for _, policy := range []string{"random", "round_robin", "prefix_hash", "join_shortest_queue", "cache_aware"} {
		_, agreed, requests, live, shadow := shadowRun(t, policy, policy)
		if agreed != requests || live != shadow {
			t.Errorf("%s: agrees with itself on %d of %d; expects %d and %d tokens", policy, agreed, requests, live, shadow)
		}
	}
}

// The shadow tells what another policy would be worth: it expects the hits of its own placement.
func TestShadowExpectsItsOwnHits(t *testing.T) {
	_, agreed, requests, random, hash := shadowRun(t, "random", "prefix_hash")
	if agreed == requests || agreed == 0 {
		t.Errorf("prefix_hash agrees with chance on %d of %d", agreed, requests)
	}
	if hash <= random {
		t.Errorf("expected tokens: prefix_hash %d, random %d; want more", hash, random)
	}
}

func TestNoShadow(t *testing.T) {
	cfg, err := config.Parse([]byte(`{"endpoints":["10.0.0.1:80"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if s := NewShadow(&cfg, route.New(&cfg, 1), memstore.New(), 1); s != nil {
		t.Error("a shadow that was not asked for")
	}
}
