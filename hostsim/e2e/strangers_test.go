//go:build e2e

package e2e

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"warmroute/hostsim/internal/gateway"
)

// A part of the requests goes to a cluster whose endpoints are not in the pool: a canary, say. What answers there says nothing of the endpoint
// that was chosen here: neither of its cache nor of its health.
func TestAnswersOfStrangers(t *testing.T) {
	t.Parallel()
	var fails atomic.Bool
	stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		if fails.Load() {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		w.Header().Set("content-type", "application/json")
		fmt.Fprintf(w, `{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":%d,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":0}}}`, len(text)/4)
	}))
	t.Cleanup(stranger.Close)
	f := pool(t)
	opt := options("endpoint", f, nil)
	opt.Edit = func(doc any) {
		clusters := gateway.Find(doc, "clusters")[0]
		canary := maps.Clone(clusters["clusters"].([]any)[0].(map[string]any))
		var port int
		fmt.Sscanf(strings.TrimPrefix(stranger.URL, "http://"), "127.0.0.1:%d", &port)
		canary["name"] = "canary"
		canary["load_assignment"] = decoded(fmt.Sprintf(`{"cluster_name":"canary","endpoints":[{"lb_endpoints":[{"endpoint":{"address":{"socket_address":{"address":"127.0.0.1","port_value":%d}}}}]}]}`, port))
		clusters["clusters"] = append(clusters["clusters"].([]any), canary)
		for _, at := range gateway.Find(doc, "routes") {
			at["routes"] = append([]any{decoded(`{"match":{"prefix":"/","headers":[{"name":"x-canary","present_match":true}]},"route":{"cluster":"canary","timeout":"0s"}}`)}, at["routes"].([]any)...)
		}
	}
	s := inFront(t, opt, f)
	for n := range 3 {
		s.post(t, "/v1/chat/completions", chat(story(n), "Hello.", nil))
	}
	ask := func(n int, headers ...string) map[string]string {
		return s.post(t, "/v1/chat/completions", chat(story(n), "Hello.", nil), headers...).decision
	}
	before := []map[string]string{ask(0), ask(1), ask(2)}
	time.Sleep(3 * time.Second) // what was entered just now is not refuted
	for n := range 3 {
		if d := ask(n, "x-canary", "1"); before[n]["reason"] != "match" || d["served"] != strings.TrimPrefix(stranger.URL, "http://") {
			t.Fatalf("the test has lost its point: %v, %v", before[n], d)
		}
	}
	for n := range 3 {
		if after := ask(n); after["endpoint"] != before[n]["endpoint"] || after["matched"] != before[n]["matched"] {
			t.Errorf("a prompt that the canary did not have in its cache is believed to be in none:\n%v, then\n%v", before[n], after)
		}
	}
	fails.Store(true)
	for n := range 60 {
		ask(n, "x-canary", "1")
	}
	failed := `warmroute_answers_total{outcome="failed"`
	eventually(t, "failures are counted", func() bool { return s.stat(t, failed) == 60 })
	if n := s.stat(t, failed+`,endpoint="`+strings.TrimPrefix(stranger.URL, "http://")); n != 60 {
		t.Errorf("%v of 60 failures of the canary count as its own", n)
	}
	s.atRest(t)
}
