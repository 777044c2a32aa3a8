package ours

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"warmroute/hostsim/internal/router"
)

// A request that continues a response goes to the replica that keeps it, by whichever worker: any other would answer 404.
func TestStoredResponses(t *testing.T) {
	configuration := []byte(`{"policy":"round_robin","seed":3,"endpoints":["10.0.0.0:80","10.0.0.1:80","10.0.0.2:80","10.0.0.3:80"]}`)
	for _, engine := range []string{"native", "wasm"} {
		g := startEngine(t, engine, configuration, 3)
		defer g.Close()
		ask := func(at, worker int, more string) (to string, ticket router.Ticket) {
			g.Advance(int64(at) * 50e6)
			ticket, err := g.Begin(worker, &router.Request{Path: "/v1/responses", Body: []byte(`{"model":"m","input":"` + strings.Repeat(fmt.Sprint(at, " "), 50) + `"` + more + `}`)})
			if err != nil {
				t.Fatal(err)
			}
			return ticket.Endpoints()[0], ticket
		}
		homes := map[string]string{}
		for i := range 12 {
			to, ticket := ask(i, i%3, []string{"", `,"stream":true`}[i%2])
			id := fmt.Sprint("resp_", i)
			homes[id] = to
			if i%2 == 0 {
				router.Answer(ticket, to, 200, "application/json", fmt.Appendf(nil, `{"id":"%s","object":"response","output":[]}`, id))
				continue
			}
			ticket.Headers(to, 200, "text/event-stream")
			for _, part := range []string{"event: response.created\ndata: {\"response\":{\"i", `d":"` + id + `","object":"response"},"type":"response.created"}` + "\n\n"} {
				ticket.Chunk([]byte(part), false)
			}
			ticket.Chunk([]byte("data: {\"type\":\"response.completed\"}\n\n"), true)
		}
		for i := range 12 {
			id := fmt.Sprint("resp_", i)
			to, ticket := ask(20+i, (i+1)%3, `,"previous_response_id":"`+id+`"`)
			if to != homes[id] || !strings.Contains(ticket.Decision(), "reason=stored") {
				t.Errorf("%s: %s continues at %s (%s), is kept by %s", engine, id, to, ticket.Decision(), homes[id])
			}
			router.Answer(ticket, to, 200, "application/json", []byte(`{"id":"x"}`))
		}
		if _, ticket := ask(40, 0, `,"previous_response_id":"resp_of_long_ago"`); strings.Contains(ticket.Decision(), "stored") {
			t.Errorf("%s: of a response that nobody is known to keep: %s", engine, ticket.Decision())
		}
	}
}

func startEngine(t *testing.T, name string, configuration []byte, workers int) router.Engine {
	t.Helper()
	if name == "native" {
		g, err := NewNative(configuration, workers)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	loaded, err := Load(t.Context(), module)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { loaded.Close(context.Background()) })
	g, err := StartWasm(t.Context(), loaded, configuration, workers, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
