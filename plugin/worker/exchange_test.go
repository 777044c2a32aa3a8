package worker

import (
	"strings"
	"testing"

	"warmroute/plugin/inspect"
	"warmroute/plugin/pool"
	"warmroute/plugin/share/memstore"
)

// A prompt is taken to be in the endpoint's cache once an answer to it has begun, and not before: by this worker, by its
// peer, and by the shadow.
func TestOnlyAnsweredPromptsAreHeld(t *testing.T) {
	const json, sse = "application/json", "text/event-stream"
	for _, c := range []struct {
		name string
		end  func(x *Exchange, from Server)
		held bool
	}{
		{"answered", func(x *Exchange, from Server) { x.Headers(from, 200, json, 2); x.Chunk(3); x.Complete() }, true},
		{"left during the answer", func(x *Exchange, from Server) { x.Headers(from, 200, json, 2) }, true},
		{"a first token", func(x *Exchange, from Server) { x.Headers(from, 200, sse, 2); x.Chunk(3) }, true},
		{"left before the first token", func(x *Exchange, from Server) { x.Headers(from, 200, sse, 2) }, false},
		{"left before the answer", func(*Exchange, Server) {}, false},
		{"refused", func(x *Exchange, from Server) { x.Headers(from, 400, json, 2); x.Chunk(3); x.Complete() }, false},
		{"failed", func(x *Exchange, from Server) { x.Headers(from, 500, json, 2); x.Chunk(3); x.Complete() }, false},
		{"the proxy's own", func(x *Exchange, _ Server) { x.Headers(Server{}, 200, json, 2); x.Complete() }, false},
	} {
		const configuration = `{"endpoints":["10.0.0.1:80"],"shadow":"prefix_hash","seed":5,"scrape":{"path":""}}`
		shared := memstore.New()
		w, peer := workerOf(t, configuration, shared), workerOf(t, configuration, shared)
		ask(t, w, "Hello", 1).End(1, true) // both have a slot then
		ask(t, peer, "Hello", 1).End(1, true)
		x := ask(t, w, strings.Repeat("Some text. ", 100), 1e9)
		peer.board.Sync(1e9)
		if w.pool.Index.Held(0) != 4*256 || peer.pool.Index.Held(0) != 4*256 {
			t.Fatalf("%s: %d bytes at the beginning, %d as the peer knows; want 1024", c.name, w.pool.Index.Held(0), peer.pool.Index.Held(0))
		}
		c.end(x, Server{Address: "10.0.0.1:80"})
		x.End(2e9, true)
		peer.board.Sync(2e9)
		want := int64(0)
		if c.held {
			want = 4 * 256
		}
		for where, p := range map[string]*pool.Pool{"here": w.pool, "at the peer": peer.pool, "in the shadow": w.shadow.pool} {
			if got := p.Index.Held(0); got != want {
				t.Errorf("%s: %s %d bytes are believed to be held, want %d", c.name, where, got, want)
			}
		}
	}
}

// An exchange that is used again knows nothing of the request before.
func TestReusedExchangeIsNew(t *testing.T) {
	w := workerOf(t, `{"endpoints":["10.0.0.1:80"],"scrape":{"path":""}}`, memstore.New())
	x := ask(t, w, "Hello", second)
	x.Headers(Server{Address: "10.0.0.2:80"}, 200, "application/json", second)
	x.Chunk(second)
	x.Read([]byte(`{"usage":{"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":3}}}`))
	x.Complete()
	x.End(second, false)
	if tokens, cached, known := x.Usage(); tokens != 9 || cached != 3 || !known {
		t.Fatalf("usage %d, %d, %v", tokens, cached, known)
	}
	x.Begin(w, &inspect.Head{Method: "POST", Path: "/v1/embeddings", ContentType: "application/json"})
	x.Decide(true, 2*second)
	if tokens, cached, known := x.Usage(); tokens != 0 || cached != 0 || known || x.TTFT() != 0 || x.Ending() != pool.Cancelled {
		t.Errorf("of the request before: usage %d, %d, %v, TTFT %d, ending %d", tokens, cached, known, x.TTFT(), x.Ending())
	}
	if text := string(x.Describe()); strings.Contains(text, "served=") || strings.Contains(text, "cached_tokens=") {
		t.Errorf("described as %s", text)
	}
}
