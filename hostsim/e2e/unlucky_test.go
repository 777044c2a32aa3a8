//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/gateway"
)

// atRest waits until nothing is under way: each decision has an end, and nothing is held.
func (s *stack) atRest(t *testing.T) {
	t.Helper()
	eventually(t, "nothing is in flight at rest", func() bool { return s.stat(t, "warmroute_in_flight") == 0 })
	if n := s.stat(t, "warmroute_held{"); n != 0 {
		t.Errorf("%v requests are held", n)
	}
	for range 50 { // counters are shown at ticks
		if s.stat(t, "warmroute_requests_total") == s.stat(t, "warmroute_answers_total") {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if begun, ended := s.stat(t, "warmroute_requests_total"), s.stat(t, "warmroute_answers_total"); begun != ended {
		t.Errorf("%v requests were steered, and %v have ended", begun, ended)
	}
	s.noTrap(t)
}

// moody is a replica that answers in any way.
type moody struct {
	calm atomic.Bool
	n    atomic.Int64
}

func (m *moody) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/metrics" {
		fmt.Fprintf(w, "vllm:num_requests_running %d\nvllm:num_requests_waiting 0\nvllm:kv_cache_usage_perc 0.5\nvllm:cache_config_info{block_size=\"16\",num_gpu_blocks=\"2000\"} 1\n", m.n.Load())
		return
	}
	m.n.Add(1)
	defer m.n.Add(-1)
	random := rand.IntN(20)
	if m.calm.Load() {
		random = 0
	}
	switch random {
	case 1:
		http.Error(w, "early", 400)
		return
	case 2:
		reset(w)
		return
	}
	io.Copy(io.Discard, r.Body)
	switch random {
	case 3:
		reset(w)
		return
	case 4:
		http.Error(w, "no", http.StatusServiceUnavailable)
		return
	case 5:
		w.Header().Set("retry-after", "1")
		http.Error(w, "no", http.StatusTooManyRequests)
		return
	case 6:
		w.Header().Set("location", "http://h/v1/chat/completions?again")
		w.WriteHeader(307)
		return
	case 7:
		time.Sleep(300 * time.Millisecond)
	case 8:
		<-r.Context().Done()
		return
	case 9:
		w.WriteHeader(204)
		return
	case 10:
		w.WriteHeader(103)
		w.Header().Set("trailer", "x-end")
		defer w.Header().Set("x-end", "1")
	case 11:
		w.Header().Set("content-length", "10000")
	case 12:
		w.Header().Set("content-encoding", "gzip")
	}
	w.Header().Set("content-type", "text/event-stream")
	for i := range 4 {
		fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":\"word %d\"}}]}\n\n", i)
		http.NewResponseController(w).Flush()
		if random == 13 && i == 2 {
			reset(w)
			return
		}
		time.Sleep(time.Duration(rand.IntN(10)) * time.Millisecond)
	}
	io.WriteString(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":700,\"completion_tokens\":4,\"total_tokens\":704}}\n\ndata: [DONE]\n\n")
}

// decoded is a part of an Envoy configuration.
func decoded(text string) (v map[string]any) {
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		panic(err)
	}
	return v
}

// ways are what a route may have Envoy do with a request; it is chosen by the header x-way.
var ways = map[string]string{
	"plain":     `{}`,
	"retries":   `{"retry_policy":{"retry_on":"5xx,reset,retriable-4xx,retriable-status-codes","retriable_status_codes":[429,400],"num_retries":5,"per_try_timeout":"0.05s","retry_back_off":{"base_interval":"0.005s","max_interval":"0.01s"}}}`,
	"hedging":   `{"hedge_policy":{"hedge_on_per_try_timeout":true},"retry_policy":{"retry_on":"5xx,reset","num_retries":3,"per_try_timeout":"0.02s"}}`,
	"redirects": `{"internal_redirect_policy":{"max_internal_redirects":3,"redirect_response_codes":[307],"allow_cross_scheme_redirect":true}}`,
	"mirrors":   `{"request_mirror_policies":[{"cluster":"vllm"}]}`,
	"timeouts":  `{"timeout":"0.2s","idle_timeout":"0.1s","max_stream_duration":{"max_stream_duration":"0.5s"}}`,
}

// byWay makes a route of each way.
func byWay(doc any) {
	for _, at := range gateway.Find(doc, "routes") {
		usual, err := json.Marshal(at["routes"].([]any)[0])
		if err != nil {
			panic(err)
		}
		for name, way := range ways {
			route := decoded(string(usual))
			route["match"].(map[string]any)["headers"] = []any{decoded(`{"name":"x-way","string_match":{"exact":"` + name + `"}}`)}
			maps.Copy(route["route"].(map[string]any), decoded(way))
			at["routes"] = append([]any{route}, at["routes"].([]any)...)
		}
	}
	for _, manager := range gateway.Find(doc, "http_filters") {
		manager["http_protocol_options"] = map[string]any{"enable_trailers": true}
	}
}

// Clients and replicas that do all that they may, in any order, on routes that retry, hedge, redirect, mirror and give up: nothing traps,
// nothing stays counted or held, and no memory is lost. With WARMROUTE_LONG for ten minutes.
func TestUnlucky(t *testing.T) {
	span := 6 * time.Second
	if os.Getenv("WARMROUTE_LONG") != "" {
		span = 10 * time.Minute
	}
	for _, example := range []string{"endpoint", "property"} {
		t.Run(example, func(t *testing.T) {
			t.Parallel()
			opt := options(example, &fleet.Fleet{}, map[string]any{"decide_timeout": "200ms", "scrape": map[string]any{"cluster": "vllm", "interval": "200ms"}})
			opt.Concurrency, opt.Edit = 2, byWay
			replicas := &moody{}
			replicas.calm.Store(true)
			s, _ := launchBefore(t, opt, replicas)
			s.post(t, "/v1/chat/completions", chat(story(1), "Hello.", nil))
			before, _ := taken(t, s.Pid())
			replicas.calm.Store(false)
			ctx, stop := context.WithTimeout(t.Context(), span)
			defer stop()
			said := s.crowd(ctx, 24, 1)()
			replicas.calm.Store(true)
			s.atRest(t)
			after, _ := taken(t, s.Pid())
			t.Logf("%v; Envoy takes %d MB, then %d", said, before>>20, after>>20)
			if after > before+48<<20 {
				t.Errorf("Envoy takes %d MB, then %d", before>>20, after>>20)
			}
			if said["200"] == 0 || said["h2 200"] == 0 || said["left in the answer"] == 0 {
				t.Error("it is too quiet to show anything")
			}
			if r := s.post(t, "/v1/chat/completions", chat(story(1), "Hello.", nil)); r.status != 200 {
				t.Errorf("afterwards a request has status %d", r.status)
			}
		})
	}
}
