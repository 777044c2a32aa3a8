package worker

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/plugin/inspect"
	"warmroute/plugin/share/memstore"
)

// Another worker knows of a first token before this one's next request: the prompt is no longer queued.
func TestFirstTokenIsToldAtOnce(t *testing.T) {
	const configuration = `{"endpoints":["10.0.0.1:80"],"scrape":{"path":""}}`
	shared := memstore.New()
	w, peer := workerOf(t, configuration, shared), workerOf(t, configuration, shared)
	ask(t, w, "Hello", 1).End(1, true) // both have a slot then
	ask(t, peer, "Hello", 1).End(1, true)
	x := new(Exchange)
	x.Begin(w, &inspect.Head{Method: "POST", Path: "/v1/chat/completions", ContentType: "application/json"})
	x.Write(fmt.Appendf(nil, `{"model":"m","stream":true,"messages":[{"role":"user","content":%q}]}`, strings.Repeat("Some text. ", 1000)))
	if why := x.Decide(true, second); why != "" {
		t.Fatal(why)
	}
	queued := func(now int64) float64 {
		peer.pools[0].board.Sync(now)
		return peer.pools[0].known.Queue(0, now)
	}
	if got := queued(second); got < 2000 {
		t.Fatalf("the other worker sees %v tokens queued, want some 2,750", got)
	}
	x.Headers(Server{Address: "10.0.0.1:80"}, 200, "text/event-stream", second+1e8)
	x.Chunk(second + 1e8)
	if got := queued(second + 1e8); got > 100 {
		t.Errorf("after the first token %v tokens are queued for the other worker", got)
	}
	x.End(2*second, false)
}
