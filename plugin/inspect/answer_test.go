package inspect

import (
	"strings"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/prompt"
	"warmroute/plugin/route"
	"warmroute/plugin/share"
)

// A prompt is taken to be in the endpoint's cache once an answer to it has begun, and not before: by this worker, by its
// peer, and by the shadow.
func TestOnlyAnsweredPromptsAreHeld(t *testing.T) {
	const json, sse = "application/json", "text/event-stream"
	for _, c := range []struct {
		name string
		end  func(a *Answer, from Server)
		held bool
	}{
		{"answered", func(a *Answer, from Server) { a.Headers(from, 200, json, 2); a.Chunk(3); a.Complete() }, true},
		{"left during the answer", func(a *Answer, from Server) { a.Headers(from, 200, json, 2) }, true},
		{"a first token", func(a *Answer, from Server) { a.Headers(from, 200, sse, 2); a.Chunk(3) }, true},
		{"left before the first token", func(a *Answer, from Server) { a.Headers(from, 200, sse, 2) }, false},
		{"left before the answer", func(*Answer, Server) {}, false},
		{"refused", func(a *Answer, from Server) { a.Headers(from, 400, json, 2); a.Chunk(3); a.Complete() }, false},
		{"failed", func(a *Answer, from Server) { a.Headers(from, 500, json, 2); a.Chunk(3); a.Complete() }, false},
		{"the proxy's own", func(a *Answer, _ Server) { a.Headers(Server{}, 200, json, 2); a.Complete() }, false},
	} {
		cfg, err := config.Parse([]byte(`{"endpoints":["10.0.0.1:80"],"shadow":"prefix_hash","seed":5}`))
		if err != nil {
			t.Fatal(err)
		}
		store := keys{}
		r, peer := route.New(&cfg, 1), route.New(&cfg, 1)
		b, others := share.New(store, r), share.New(store, peer)
		b.Read(1)
		others.Read(1)
		s := NewShadow(&cfg, r, store, 1)
		req := &route.Request{Prompt: &prompt.Prompt{Text: []byte(strings.Repeat("Some text. ", 100)), Model: []byte("m")}}
		a := &Answer{}
		a.Decide(r, b, req, &route.Decision{}, 1e9)
		a.DecideShadow(s, req, 1e9)
		others.Read(1e9)
		if r.Index.Held(0) != 4*256 || peer.Index.Held(0) != 4*256 {
			t.Fatalf("%s: %d blocks at the beginning, %d as the peer knows; want 4", c.name, r.Index.Held(0), peer.Index.Held(0))
		}
		c.end(a, Server{Address: "10.0.0.1:80"})
		a.End(2e9, true)
		others.Read(2e9)
		want := int64(0)
		if c.held {
			want = 4 * 256
		}
		for who, router := range map[string]*route.Router{"here": r, "at the peer": peer, "in the shadow": s.router} {
			if got := router.Index.Held(0); got != want {
				t.Errorf("%s: %s %d blocks are believed to be held, want %d", c.name, who, got, want)
			}
		}
	}
}
