package ours

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/hostsim/internal/router"
)

// A part of a long prompt lies in memory that the module lends the proxy again and again. What other workers have routed before a worker's first
// request, megabytes, comes there as well, between two of the prompt's blocks: the rest must not be read from what lies there then.
func TestLongPromptsAreReadWhole(t *testing.T) {
	configuration := []byte(`{"seed":1,"scrape":{"path":""},"endpoints":["10.0.0.1:8000","10.0.0.2:8000","10.0.0.3:8000"]}`)
	native, err := NewNative(configuration, 2)
	if err != nil {
		t.Fatal(err)
	}
	wasm, err := NewWasm(t.Context(), module, configuration, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer wasm.Close()
	long := fmt.Appendf(nil, `{"model":"m","prompt":%q}`, strings.Repeat("and so on ", 30_000))
	said := map[router.Engine][]string{}
	for _, engine := range []router.Engine{native, wasm} {
		ask := func(worker int, body []byte) {
			ticket, err := engine.Begin(worker, &router.Request{Path: "/v1/completions", Body: body, Chunk: 40 << 10})
			if err != nil {
				t.Fatal(err)
			}
			said[engine] = append(said[engine], ticket.Decision())
			router.Answer(ticket, ticket.Endpoints()[0], 200, "application/json", []byte(`{"usage":{"prompt_tokens":9}}`))
		}
		for n := range 1000 {
			engine.Advance(int64(n) * 2e6)
			ask(0, fmt.Appendf(nil, `{"model":"m","prompt":"%d %s"}`, n, strings.Repeat("and so on ", 6000)))
		}
		ask(1, long)
		ask(1, long)
	}
	for i, want := range said[native] {
		if got := said[wasm][i]; got != want {
			t.Errorf("request %d: the module says %s, the simulator %s", i, got, want)
		}
	}
}
