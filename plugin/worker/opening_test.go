package worker

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/plugin/inspect"
	"warmroute/plugin/share/memstore"
)

// A stream of the Responses API begins before its server has begun with the prompt, and others have comments while it waits. The first token
// comes behind that: else prompts would seem to be computed that are not, and an endpoint that hangs to go on.
func TestResponsesOpenBeforeTheFirstToken(t *testing.T) {
	w := workerOf(t, `{"endpoints":["10.0.0.1:80"],"scrape":{"path":""}}`, memstore.New())
	known, now := w.pools[0].known, second
	for n := range 100 {
		now += 5 * second
		tokens := 500 + n*997%8000
		x := new(Exchange)
		x.Begin(w, &inspect.Head{Method: "POST", Path: "/v1/responses", ContentType: "application/json"})
		x.Write(fmt.Appendf(nil, `{"model":"m","stream":true,"input":%q}`, fmt.Sprint(n, strings.Repeat(" and", tokens-1))))
		if code := x.Decide(true, now); code != "" {
			t.Fatal(code)
		}
		x.Headers(Server{Address: x.Address()}, 200, "text/event-stream; charset=utf-8", now)
		part := func(text string, at int64) bool {
			first := (!x.Opening() || !x.Opens([]byte(text))) && x.Chunk(at)
			x.Read([]byte(text))
			return first
		}
		for _, text := range []string{": keep-alive\n\n", "event: response.created\ndata: {\"response\":{\"usage\":null}}\n\n", "event: response.in_progress\ndata: {}\n\n"} {
			if part(text, now+2e6) {
				t.Fatalf("%q is taken for the first token", text)
			}
		}
		if got := known.Queue(0, now+2e6); got < float64(tokens)/2 {
			t.Fatalf("%v tokens are queued of a prompt of %d that is not computed", got, tokens)
		}
		if !x.AwaitsPart() {
			t.Fatal("the time of the first token is not asked for")
		}
		took := 2e7 + int64(tokens)*second/10_000
		if !part("event: response.output_item.added\ndata: {}\n\n", now+took) || x.TTFT() != took {
			t.Fatalf("the first token came after %v ms, want %v", x.TTFT()/1e6, took/1e6)
		}
		if part("event: response.output_text.delta\ndata: {}\n\n", now+took+1) || known.Queue(0, now+took+1) != 0 {
			t.Fatal("the first token comes twice, or has not ended the prompt's time in the queue")
		}
		part(fmt.Sprintf("event: response.completed\ndata: {\"response\":{\"usage\":{\"input_tokens\":%d,\"output_tokens\":9,\"input_tokens_details\":{\"cached_tokens\":0}}}}\n\n", tokens), now+took+2)
		x.Complete()
		x.End(now+took+2, false)
	}
	if got := known.PerToken(0); got < 0.8e-4 || got > 1.2e-4 {
		t.Errorf("a token takes %v s, want 100 µs", got)
	}
	// Who hangs up before the first token has not shown that the prompt was computed.
	x := new(Exchange)
	x.Begin(w, &inspect.Head{Method: "POST", Path: "/v1/responses", ContentType: "application/json"})
	x.Write(fmt.Appendf(nil, `{"model":"m","stream":true,"input":%q}`, strings.Repeat("never ", 10_000)))
	x.Decide(true, now)
	x.Headers(Server{Address: x.Address()}, 200, "text/event-stream", now)
	if !x.Opens([]byte("event: response.created\ndata: {}\n\n")) {
		t.Error("response.created is taken for the first token")
	}
	x.End(now+3e6, true)
	f := &x.decision.Flight
	if got := known.Match(f)[0]; got != 0 {
		t.Errorf("%d blocks of a prompt that was not computed are taken to be cached", got)
	}
}

// Comments are no sign of life: the part of a server that writes them goes on where its engine hangs.
func TestCommentsAreNoSignOfLife(t *testing.T) {
	w := workerOf(t, `{"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80"],"policy":"round_robin","scrape":{"path":""}}`, memstore.New())
	now, hung := second, []*Exchange{}
	part := func(x *Exchange, text string) {
		if !x.Opening() || !x.Opens([]byte(text)) {
			x.Chunk(now)
		}
	}
	for n := range 200 {
		now += second
		x := new(Exchange)
		x.Begin(w, &inspect.Head{Method: "POST", Path: "/v1/completions", ContentType: "application/json"})
		x.Write(fmt.Appendf(nil, `{"model":"m","stream":true,"prompt":%q}`, fmt.Sprint(n, strings.Repeat(" and", 1000))))
		if code := x.Decide(true, now); code != "" {
			t.Fatal(code)
		}
		x.Headers(Server{Address: x.Address()}, 200, "text/event-stream", now)
		if x.Address() == "10.0.0.1:80" {
			hung = append(hung, x)
		} else {
			now += second / 10
			part(x, "data: {}\n\n")
			x.Complete()
			x.End(now, false)
		}
		for _, x := range hung {
			if n%15 == 0 {
				part(x, ": keep-alive\n\n")
			}
		}
		w.Tick(now)
	}
	if known := w.pools[0].known; !known.Health.Down(0) || known.Health.Down(1) || known.Health.Down(2) {
		t.Errorf("down are %v, %v, %v; want the first, whose engine hangs", known.Health.Down(0), known.Health.Down(1), known.Health.Down(2))
	}
}
