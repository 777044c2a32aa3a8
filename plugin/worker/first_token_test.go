package worker

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/plugin/share/memstore"
)

// Another worker knows of a first token before this one's next request: the prompt is no longer queued.
func TestFirstTokenIsToldAtOnce(t *testing.T) {
	const configuration = `{"endpoints":["10.0.0.1:80"],"scrape":{"path":""}}`
	shared := memstore.New()
	w, peer := workerOf(t, configuration, shared), workerOf(t, configuration, shared)
	ask(t, w, "Hello", 1).End(1, true) // both have a slot then
	ask(t, peer, "Hello", 1).End(1, true)
	body := fmt.Sprintf(`{"model":"m","stream":true,"messages":[{"role":"user","content":%q}]}`, strings.Repeat("Some text. ", 1000))
	x, code := send(w, "/v1/chat/completions", "", body, second)
	if code != "" {
		t.Fatal(code)
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

// Of prompts that wait in such numbers that not all are taken to be cached, another worker knows once they have been computed.
func TestDeferredPromptsAreTold(t *testing.T) {
	const configuration = `{"endpoints":["10.0.0.1:80"],"scrape":{"path":""}}`
	shared := memstore.New()
	w, peer := workerOf(t, configuration, shared), workerOf(t, configuration, shared)
	ask(t, w, "Hello", 1).End(1, true)
	ask(t, peer, "Hello", 1).End(1, true)
	w.pools[0].known.SetCache(0, 10_000)
	var all []*Exchange
	for k := range 4 {
		body := fmt.Sprintf(`{"model":"m","stream":true,"messages":[{"role":"user","content":%q}]}`, strings.Repeat(fmt.Sprint("Text ", k), 2000))
		x, code := send(w, "/v1/chat/completions", "", body, second)
		if code != "" {
			t.Fatal(code)
		}
		all = append(all, x)
	}
	last := all[len(all)-1]
	held := func(now int64) int32 {
		peer.pools[0].board.Sync(now)
		return peer.pools[0].known.Match(&last.decision.Flight)[0]
	}
	if got := held(second); got > 1 {
		t.Errorf("behind three that wait for as much memory as there is, %d blocks of a prompt are taken to be cached", got)
	}
	last.Headers(Server{Address: "10.0.0.1:80"}, 200, "text/event-stream", 2*second)
	last.Chunk(2 * second)
	if got := held(2 * second); int(got) != last.decision.Total {
		t.Errorf("after its first token the other worker knows of %d of %d blocks", got, last.decision.Total)
	}
	for _, x := range all {
		x.End(3*second, false)
	}
}
