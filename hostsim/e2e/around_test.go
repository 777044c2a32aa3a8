//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/gateway"
)

// around makes an Envoy with another filter right before the module, or behind it, and replicas that tell their usage.
func around(t *testing.T, filter, place, cluster string) *stack {
	t.Helper()
	opt := options("endpoint", &fleet.Fleet{}, map[string]any{"scrape": map[string]any{"cluster": "vllm", "path": ""}})
	opt.Edit = func(doc any) {
		for _, manager := range gateway.Find(doc, "http_filters") {
			list := manager["http_filters"].([]any)
			switch place {
			case "before":
				manager["http_filters"] = append([]any{decoded(filter)}, list...)
			case "behind":
				manager["http_filters"] = []any{list[0], decoded(filter), list[1]}
			}
		}
		for _, c := range gateway.Find(doc, "load_assignment") {
			for name, value := range decoded(cluster) {
				c[name] = value
			}
		}
	}
	s, _ := launchBefore(t, opt, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		receive(w, r)
		time.Sleep(20 * time.Millisecond)
		fmt.Fprintf(w, `{"choices":[],"usage":{"prompt_tokens":700,"completion_tokens":3,"total_tokens":703,"prompt_tokens_details":{"cached_tokens":16}}}`)
	}))
	return s
}

// says says whether doctor has a finding with that text.
func (s *stack) says(t *testing.T, text string) bool {
	t.Helper()
	return strings.Contains(fmt.Sprintf("%+v", s.examine(t)), text)
}

// What Envoy has around the module changes what it can know; doctor says so, and nothing stays in flight.
func TestAround(t *testing.T) {
	t.Parallel()
	const packs = `{"name":"packs","typed_config":{"@type":"type.googleapis.com/envoy.extensions.filters.http.compressor.v3.Compressor","compressor_library":{"name":"gzip","typed_config":{"@type":"type.googleapis.com/envoy.extensions.compression.gzip.compressor.v3.Gzip"}}}}`
	const limits = `{"name":"limits","typed_config":{"@type":"type.googleapis.com/envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit","stat_prefix":"x","token_bucket":{"max_tokens":1,"fill_interval":"100s"},"filter_enabled":{"default_value":{"numerator":100}},"filter_enforced":{"default_value":{"numerator":100}}}}`
	for place, read := range map[string]float64{"before": 700, "behind": 0} {
		t.Run("answers are packed "+place, func(t *testing.T) {
			t.Parallel()
			s := around(t, packs, place, `{}`)
			r := s.post(t, "/v1/chat/completions", chat(story(1), "Hello.", nil), "accept-encoding", "gzip")
			if r.status != 200 || r.header.Get("content-encoding") != "gzip" {
				t.Fatalf("%d %v", r.status, r.header)
			}
			eventually(t, "the answer is counted", func() bool { return s.stat(t, "warmroute_answers_total") == 1 })
			s.atRest(t)
			if got := s.stat(t, "warmroute_prompt_tokens_total"); got != read {
				t.Errorf("%v tokens of the prompt were read, want %v", got, read)
			}
			if got := s.says(t, "packs answers before it reads them"); got != (place == "behind") {
				t.Errorf("doctor says that: %v", got)
			}
		})
	}
	t.Run("requests are refused behind", func(t *testing.T) {
		t.Parallel()
		s := around(t, limits, "behind", `{}`)
		for i, want := range []int{200, 429, 429} {
			if got := s.post(t, "/v1/chat/completions", chat(story(i), "Hello.", nil)).status; got != want {
				t.Errorf("request %d: status %d, want %d", i, got, want)
			}
		}
		eventually(t, "two have no answer of a replica", func() bool { return s.stat(t, `warmroute_answers_total{outcome="cancelled"`) == 2 })
		s.atRest(t)
		if !s.says(t, "filters behind the module refuse requests: limits") || !s.says(t, "or Envoy answered in a replica's place") {
			t.Errorf("doctor says %+v", s.examine(t))
		}
	})
	t.Run("a circuit breaker refuses", func(t *testing.T) {
		t.Parallel()
		s := around(t, "", "", `{"circuit_breakers":{"thresholds":[{"max_requests":1,"max_retries":1024}]}}`)
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() { s.post(t, "/v1/chat/completions", chat(story(i), "Hello.", nil)) })
		}
		all.Wait()
		eventually(t, "all are counted", func() bool { return s.stat(t, "warmroute_answers_total") == 8 })
		s.atRest(t)
		if !s.says(t, "refused by the circuit breaker of cluster vllm") || !s.says(t, "its circuit breaker has max_requests 1:") {
			t.Errorf("doctor says %+v", s.examine(t))
		}
	})
}

// A long body of what Envoy answers itself, by 404 or a redirect, gets that answer as it does without the module, and says nothing of what routes hold.
func TestLongBodiesThatLeadNowhere(t *testing.T) {
	t.Parallel()
	opt := options("endpoint", &fleet.Fleet{}, nil)
	opt.Concurrency = 1 // each worker learns by itself that Envoy tells clusters
	opt.Edit = func(doc any) {
		for _, at := range gateway.Find(doc, "routes") {
			at["routes"] = append([]any{
				decoded(`{"match":{"prefix":"/","headers":[{"name":"x-to","string_match":{"exact":"moved"}}]},"redirect":{"https_redirect":true}}`),
				decoded(`{"match":{"prefix":"/","headers":[{"name":"x-to","string_match":{"exact":"tea"}}]},"direct_response":{"status":418}}`),
			}, at["routes"].([]any)...)
		}
		for _, at := range gateway.Find(doc, "domains") {
			at["domains"] = []any{"here"}
		}
	}
	s, _ := launchBefore(t, opt, http.HandlerFunc(sink))
	long := chat(strings.Repeat(story(1), 500), "Hello.", nil)
	for _, c := range []struct {
		host, to string
		want     int
	}{{"here", "", 200}, {"nowhere", "", 404}, {"here", "moved", 301}, {"here", "tea", 418}, {"here", "", 200}} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/chat/completions", strings.NewReader(long))
		if err != nil {
			t.Fatal(err)
		}
		request.Host = c.host
		request.Header.Set("content-type", "application/json")
		request.Header.Set("x-to", c.to)
		response, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != c.want {
			t.Errorf("%s %s: status %d, want %d", c.host, c.to, response.StatusCode, c.want)
		}
	}
	if strings.Contains(s.Log(), "cannot hold scan_bytes") {
		t.Error("it is taken to hold less than it does")
	}
	s.atRest(t)
}
