package worker

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/plugin/inspect"
	"warmroute/plugin/share/memstore"
)

// Uploads that a client holds back at three of four endpoints do not make all others go to the fourth.
func TestUploadsThatAreHeldBackFillNoQueue(t *testing.T) {
	for _, stream := range []bool{true, false} {
		w := workerOf(t, `{"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80","10.0.0.4:80"],"scrape":{"path":""},"shadow":"cache_aware"}`, memstore.New())
		now := second
		upload := func(n int, length int, text, end string) *Exchange {
			x := new(Exchange)
			x.Begin(w, &inspect.Head{Method: "POST", Path: "/v1/completions", ContentType: "application/json", Length: length})
			x.Write(fmt.Appendf(nil, `{"model":"m","stream":%v,"prompt":"%d %s%s`, stream, n, text, end))
			if code := x.Decide(length == 0, now); code != "" {
				t.Fatal(code)
			}
			return x
		}
		var held []*Exchange
		for n := range 4 {
			held = append(held, upload(n, 1<<20, strings.Repeat("held back ", 8000), ""))
		}
		held[2].End(now+second, true)
		now += 5 * second
		w.Tick(now)
		got := map[string]int{}
		var under []*Exchange
		for n := range 200 {
			now += second / 10
			if len(under) > 16 {
				under[0].End(now, false)
				under = under[1:]
			}
			x := upload(10+n, 0, strings.Repeat("own ", 500), `"}`)
			got[x.Address()]++
			x.Headers(Server{Address: x.Address()}, 200, map[bool]string{true: "text/event-stream", false: "application/json"}[stream], now)
			x.Chunk(now + second/20)
			under = append(under, x)
		}
		for address, n := range got {
			if n < 40 || n > 60 {
				t.Errorf("stream %v: %d of 200 requests went to %s, want about 50", stream, n, address)
			}
		}
		for _, x := range under {
			x.End(now, false)
		}
		// The rest comes after all, or something else ends it.
		known, at := w.pools[0].known, held[0].decision.Endpoint()
		if got := known.Queue(at, now+60*second); got != 0 {
			t.Errorf("stream %v: %v tokens are queued, want none", stream, got)
		}
		held[0].Write([]byte(strings.Repeat("held back ", 2000) + `"}`))
		held[0].EndBody(now + 60*second)
		if got := known.Queue(at, now+60*second); got < 20_000 || got > 30_000 {
			t.Errorf("stream %v: %v tokens are queued, want those of 100 KB", stream, got)
		}
		held[1].Write([]byte(`" and no JSON`))
		held[1].EndBody(now + 60*second)
		if got := known.Queue(held[1].decision.Endpoint(), now+60*second); got < 10_000 {
			t.Errorf("stream %v: %v tokens are queued of a prompt whose end cannot be read, want those before it", stream, got)
		}
		for _, x := range held {
			x.End(now+60*second, true)
		}
		if len(w.unsent) != 0 || known.Queue(at, now+60*second) != 0 || w.pools[0].shadow.pool.Queue(at, now+60*second) != 0 {
			t.Errorf("stream %v: %d are unsent, %v tokens queued at the end", stream, len(w.unsent), known.Queue(at, now+60*second))
		}
	}
}
