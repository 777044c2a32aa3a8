//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/gateway"
)

// Envoy tells whether a request whose client has hung up was sent: what there was time for is held then, and nothing of one that waited for a connection.
func TestHungUpBeforeItWasSent(t *testing.T) {
	t.Parallel()
	for _, connections := range []int{1024, 1} {
		release := make(chan struct{})
		opt := options("endpoint", &fleet.Fleet{}, nil)
		opt.Edit = func(doc any) {
			for _, cluster := range gateway.Find(doc, "circuit_breakers") {
				cluster["circuit_breakers"] = map[string]any{"thresholds": []any{map[string]any{"max_connections": connections}}}
			}
		}
		s, _ := launchBefore(t, opt, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if body, _ := io.ReadAll(r.Body); bytes.Contains(body, []byte("Stay")) {
				<-release
			} else if bytes.Contains(body, []byte("Leave")) && r.Header.Get("x-again") == "" {
				<-r.Context().Done()
			}
		}))
		done := make(chan struct{})
		for range 3 { // one at each replica
			go func() {
				s.post(t, "/v1/chat/completions", chat("Stay.", "", nil))
				done <- struct{}{}
			}()
			time.Sleep(100 * time.Millisecond)
		}
		body := chat(strings.Repeat("Leave. ", 4000), "", nil)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v1/chat/completions", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("content-type", "application/json")
		if response, err := client.Do(req); err == nil {
			t.Errorf("it is answered: %v", response.Status)
		}
		cancel()
		close(release)
		for range 3 {
			<-done
		}
		again := s.post(t, "/v1/chat/completions", body, "x-again", "1").decision
		if held := again["matched"] != "0"; again["blocks"] == "" || held != (connections > 1) {
			t.Errorf("%d connections: %s of %s blocks are believed to be held", connections, again["matched"], again["blocks"])
		}
	}
}
