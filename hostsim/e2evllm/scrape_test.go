//go:build e2evllm

package e2evllm

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestScrape: what others send to a server is seen in its own /metrics, and requests go elsewhere while that lasts.
func TestScrape(t *testing.T) {
	s := launch(t, map[string]any{"policy": "join_shortest_queue"})
	chosen := func(what string) map[string]int {
		count := map[string]int{}
		for i := range 12 {
			r := s.post(t, "/v1/chat/completions", chat(fmt.Sprint(what, i), "Where?", map[string]any{"max_tokens": 1}))
			if r.status != 200 {
				t.Fatalf("status %d: %s", r.status, r.body)
			}
			count[r.decision["endpoint"]]++
		}
		return count
	}
	busy := s.servers[0]
	if idle := chosen("idle"); idle[busy] == 0 {
		t.Fatalf("%s got none of 12 requests while all were idle: %v", busy, idle)
	}
	for range 6 { // behind the module's back
		s.occupy(t, busy)
	}
	eventually(t, "the server says that it is busy", func() bool { return s.counters(t, busy).Running >= 6 })
	time.Sleep(2500 * time.Millisecond) // it is read once a second
	if n := chosen("busy")[busy]; n > 0 {
		t.Errorf("%s got %d of 12 requests while it ran 6 that only its /metrics tell of", busy, n)
	}
	if n := s.counters(t, busy).Running; n < 6 {
		t.Errorf("%s ran %v requests at the end; the test needs them all the time", busy, n)
	}
}

// occupy starts a long answer at a server, past Envoy; it ends with the test.
func (s *stack) occupy(t *testing.T, server string) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"model": "tiny", "prompt": "On and on.", "stream": true, "max_tokens": 6000, "ignore_eos": true})
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+server+"/v1/completions", strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("content-type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	go func() { // reads until the test's context ends
		defer response.Body.Close()
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		}
	}()
}
