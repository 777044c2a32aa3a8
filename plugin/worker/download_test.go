package worker

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"warmroute/plugin/share/memstore"
)

// askOf has prompt n decided, one of 500 to 8,500 tokens.
func askOf(t *testing.T, w *Worker, n int, now int64) (x *Exchange, tokens int) {
	t.Helper()
	tokens = 500 + n*997%8000
	x = bringText(w, "m", fmt.Sprint(n, strings.Repeat(" and", tokens-1)))
	if code := x.Decide(true, now); code != "" {
		t.Fatal(code)
	}
	return x, tokens
}

// A whole answer that is too long for the proxy's buffers ends when its client has taken it: one that takes its time makes its endpoint
// neither look slow, nor its requests hold memory for long. The first part counts that says something: some servers send white space until
// they have the answer.
func TestDownloadsThatAreHeldBackTeachNoSpeed(t *testing.T) {
	for _, waits := range []string{"", " \n"} {
		w := workerOf(t, `{"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80"],"policy":"round_robin","scrape":{"path":""}}`, memstore.New())
		known, now := w.pools[0].known, second
		for n := range 300 {
			now += 5 * second
			x, tokens := askOf(t, w, n, now)
			x.Headers(Server{Address: x.Address()}, 200, "application/json", now)
			part := func(text string, at int64) {
				x.Chunk(at)
				x.Read([]byte(text))
			}
			if waits != "" {
				part(waits, now+1)
			}
			at := now + 2*second + int64(tokens)*second/10_000
			part(`{"choices":[],`, at)
			if x.Address() == "10.0.0.2:80" {
				at += 60 * second
			}
			part(fmt.Sprintf(`"usage":{"prompt_tokens":%d,"completion_tokens":100,"prompt_tokens_details":{"cached_tokens":0}}}`, tokens), at)
			x.Complete()
			x.End(at, false)
			known.Tick(now)
		}
		for i := range 3 {
			if got, want := known.PerToken(i), known.PerToken(0); got > 1.2*want || got < 1e-5 {
				t.Errorf("%q: endpoint %d takes %v s a token, another one %v", waits, i, got, want)
			}
			if got := known.Residence(i); got < 1 || got > 5 {
				t.Errorf("%q: a request holds the memory of endpoint %d for %v s", waits, i, got)
			}
		}
	}
}

// A server that streams its answer, though the request does not ask for that, has it only at its end.
func TestStreamsThatNobodyAskedForTeachByTheirEnd(t *testing.T) {
	var perToken [2]float64
	for i, kind := range []string{"application/json", "text/event-stream"} {
		w := workerOf(t, `{"endpoints":["10.0.0.1:80"],"policy":"round_robin","scrape":{"path":""}}`, memstore.New())
		known, now := w.pools[0].known, second
		for n := range 100 {
			now += 20 * second
			x, tokens := askOf(t, w, n, now)
			x.Headers(Server{Address: x.Address()}, 200, kind, now)
			usage := fmt.Sprintf(`{"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":100,"prompt_tokens_details":{"cached_tokens":0}}}`, tokens)
			first := now + int64(tokens)*second/10_000
			parts := map[int64]string{first + 10*second: usage}
			if kind != "application/json" {
				parts = map[int64]string{
					first: "data: {\"choices\":[]}\n\n", first + second: "data: {\"choices\":[]}\n\n", first + 10*second: "data: " + usage + "\n\ndata: [DONE]\n\n",
				}
			}
			for _, at := range slices.Sorted(maps.Keys(parts)) {
				x.Chunk(at)
				x.Read([]byte(parts[at]))
			}
			x.Complete()
			x.End(first+10*second, false)
			known.Tick(now)
		}
		perToken[i] = known.PerToken(0)
	}
	if perToken[0] != perToken[1] {
		t.Errorf("it takes %v s a token, and %v if it streams", perToken[0], perToken[1])
	}
}
