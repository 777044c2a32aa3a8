package worker

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/plugin/inspect"
	"warmroute/plugin/share/memstore"
)

// Other workers hear of a prompt that is longer than the endpoint's memory when its response has come, and never of one that is refused.
func TestWorkersHearOfNoRefusedPrompt(t *testing.T) {
	const configuration = `{"endpoints":["10.0.0.1:80"],"scrape":{"path":""},"shadow":"expected_ttft"}`
	for _, status := range []int{200, 400} {
		shared := memstore.New()
		w, peer := workerOf(t, configuration, shared), workerOf(t, configuration, shared)
		ask(t, w, "Hello", 1).End(1, true) // both have a slot then
		ask(t, peer, "Hello", 1).End(1, true)
		for _, of := range []*Worker{w, peer} {
			of.pools[0].known.SetCache(0, 10_000)
			of.Tick(second / 2)
		}
		x := new(Exchange)
		x.Begin(w, &inspect.Head{Method: "POST", Path: "/v1/chat/completions", ContentType: "application/json"})
		x.Write(fmt.Appendf(nil, `{"model":"m","stream":true,"messages":[{"role":"user","content":%q}]}`, strings.Repeat("Some text. ", 10_000)))
		if why := x.Decide(true, second); why != "" {
			t.Fatal(why)
		}
		held := func(now int64) int64 {
			peer.pools[0].board.Sync(now)
			return peer.pools[0].known.Index.Held(0)
		}
		before := held(second)
		if before > 1000 {
			t.Errorf("before the response of status %d another worker believes that %d bytes are held", status, before)
		}
		x.Headers(Server{Address: "10.0.0.1:80"}, status, "text/event-stream", 2*second)
		x.Chunk(2 * second)
		x.Complete()
		if x.End(2*second, false); (held(2*second) > before) != (status == 200) {
			t.Errorf("after a response of status %d another worker believes that %d bytes are held, before it %d", status, held(2*second), before)
		}
	}
}
