//go:build e2e

package e2e

import (
	"fmt"
	"testing"

	"warmroute/hostsim/internal/gateway"
)

// Where the proxy's own circuit breaker refuses requests, no replica is to blame: none is taken to be down, and what is
// known of their caches stays.
func TestOverflowBlamesNobody(t *testing.T) {
	s := launch(t, "endpoint", func(o *gateway.Options) {
		o.Edit = func(doc any) {
			for _, cluster := range gateway.Find(doc, "load_assignment") {
				cluster["circuit_breakers"] = map[string]any{"thresholds": []any{map[string]any{"max_requests": 2}}}
			}
		}
	})
	known := chat(story(1), "Hello.", nil)
	s.post(t, "/v1/chat/completions", known)
	for range 2 {
		response := s.stream(t.Context(), t, chat(story(2), "Tell.", map[string]any{"stream": true, "max_tokens": 4000}))
		defer response.Body.Close()
	}
	for i := range 9 {
		if r := s.post(t, "/v1/chat/completions", chat(story(1), fmt.Sprint("Question ", i), nil)); r.status != 503 || r.header.Get("x-envoy-overloaded") == "" {
			t.Fatalf("request %d: got status %d, %v; want the circuit breaker's 503", i, r.status, r.header)
		}
	}
	if r := s.post(t, "/v1/chat/completions", known); r.decision["reason"] != "match" || r.decision["matched"] != r.decision["blocks"] {
		t.Errorf("what is known of the caches is lost: %v", r.decision)
	}
	if down := s.stat(t, "warmroute_endpoints_down"); down != 0 {
		t.Errorf("%v replicas are taken to be down", down)
	}
	if n := s.stat(t, `warmroute_answers_total{warmroute_outcome="refused"`) + s.stat(t, `warmroute_answers_total{outcome="refused"`); n != 0 {
		t.Errorf("%v answers are counted as refused by a replica", n)
	}
}
