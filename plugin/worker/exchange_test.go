package worker

import (
	"strings"
	"testing"

	"warmroute/plugin/health"
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
		{"left before the first token", func(x *Exchange, from Server) { x.Headers(from, 200, sse, 2); x.End(1e9+1e6, true) }, false},
		{"left before the first token, whose type is in other case", func(x *Exchange, from Server) {
			x.Headers(from, 200, "Text/Event-Stream;charset=UTF-8", 2)
			x.End(1e9+1e6, true)
		}, false},
		{"left before the answer", func(x *Exchange, _ Server) { x.End(1e9+1e6, true) }, false},
		{"left before the answer, when the prompt was computed", func(*Exchange, Server) {}, true},
		{"left before the first token, when the prompt was computed", func(x *Exchange, from Server) { x.Headers(from, 200, sse, 2) }, true},
		{"refused", func(x *Exchange, from Server) { x.Headers(from, 400, json, 2); x.Chunk(3); x.Complete() }, false},
		{"failed", func(x *Exchange, from Server) { x.Headers(from, 500, json, 2); x.Chunk(3); x.Complete() }, false},
		{"by a stranger", func(x *Exchange, _ Server) {
			x.Headers(Server{Address: "10.9.9.9:80"}, 200, json, 2)
			x.Chunk(3)
			x.Complete()
		}, false},
		{"by its address of the other family", func(x *Exchange, _ Server) {
			x.Headers(Server{Address: "[fd00::1]:80"}, 200, json, 2)
			x.Chunk(3)
			x.Complete()
		}, true},
		{"through a listener that leads anywhere", func(x *Exchange, _ Server) {
			x.Headers(Server{Address: "envoy://main/inference"}, 200, json, 2)
			x.Chunk(3)
			x.Complete()
		}, true},
		{"the proxy's own, and the client left", func(x *Exchange, _ Server) { x.Headers(Server{}, 503, json, 2) }, false},
		{"the proxy's own", func(x *Exchange, _ Server) { x.Headers(Server{}, 200, json, 2); x.Complete() }, false},
	} {
		const configuration = `{"endpoints":["10.0.0.1:80"],"shadow":"prefix_hash","seed":5,"scrape":{"path":""}}`
		shared := memstore.New()
		w, peer := workerOf(t, configuration, shared), workerOf(t, configuration, shared)
		ask(t, w, "Hello", 1).End(1, true) // both have a slot then
		ask(t, peer, "Hello", 1).End(1, true)
		x := ask(t, w, strings.Repeat("Some text. ", 100), 1e9)
		peer.pools[0].board.Sync(1e9)
		if w.pools[0].known.Index.Held(0) != 4*256 || peer.pools[0].known.Index.Held(0) != 4*256 {
			t.Fatalf("%s: %d bytes at the beginning, %d as the peer knows; want 1024", c.name, w.pools[0].known.Index.Held(0), peer.pools[0].known.Index.Held(0))
		}
		c.end(x, Server{Address: "10.0.0.1:80"})
		x.End(2e9, true)
		peer.pools[0].board.Sync(2e9)
		want := int64(0)
		if c.held {
			want = 4 * 256
		}
		for where, p := range map[string]*pool.Pool{"here": w.pools[0].known, "at the peer": peer.pools[0].known, "in the shadow": w.pools[0].shadow.pool} {
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
	if tokens, cached, known := x.Usage(); tokens != 0 || cached != 0 || known || x.TTFT() != 0 || x.Ending() != health.Cancelled {
		t.Errorf("of the request before: usage %d, %d, %v, TTFT %d, ending %d", tokens, cached, known, x.TTFT(), x.Ending())
	}
	if text := string(x.Describe()); strings.Contains(text, "served=") || strings.Contains(text, "cached_tokens=") {
		t.Errorf("described as %s", text)
	}
}

// A long prompt that nobody holds is decided before its end; what comes behind it counts: that it streams, and the rest.
func TestWhatComesBehindTheDecision(t *testing.T) {
	w := workerOf(t, `{"endpoints":["10.0.0.1:80","10.0.0.2:80"],"scrape":{"path":""}}`, memstore.New())
	body := []byte(`{"model":"m","prompt":"` + strings.Repeat("Some text. ", 36000) + `","stream":true}`)
	x := new(Exchange)
	x.Begin(w, &inspect.Head{Method: "POST", Path: "/v1/completions", ContentType: "application/json", Length: len(body)})
	const part = 100_000
	if !x.Write(body[:part]) {
		t.Fatal("a prompt that nobody holds is not decided after 100 KB")
	}
	if code := x.Decide(false, second); code != "" {
		t.Fatal(code)
	}
	at := x.decision.Endpoint()
	if tokens := w.pools[0].known.Queue(at, second); tokens < 90_000 || tokens > 110_000 {
		t.Errorf("%v tokens queued, by the body's length; want about 99,000", tokens)
	}
	for from := part; from < len(body); from += part {
		x.Write(body[from:min(from+part, len(body))])
	}
	if !x.EndBody(second) || w.pools[0].known.Index.Held(at) < 380_000 {
		t.Errorf("%d bytes are believed to be held, want nearly all 396,000", w.pools[0].known.Index.Held(at))
	}
	if w.pools[0].known.Waiting(at, second) != 1 {
		t.Error("it is not known to stream")
	}
	x.Headers(Server{Address: x.Address()}, 200, "text/event-stream", second)
	if x.Reads() {
		t.Error("usage is looked for, which the client did not ask for")
	}
	x.Chunk(second)
	if queue := w.pools[0].known.Queue(at, second); queue != 0 {
		t.Errorf("after its first token %v tokens are queued", queue)
	}
}
