//go:build e2e

package e2e

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/fleet"
)

// A client whose prompts make a replica fail is one client, whatever addresses it claims to have.
func TestForgedAddressesPutNothingDown(t *testing.T) {
	t.Parallel()
	opt := options("endpoint", &fleet.Fleet{}, map[string]any{"policy": "prefix_hash"})
	s, _ := launchBefore(t, opt, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); strings.Contains(string(body), "POISON") {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		sink(w, r)
	}))
	for n := range 7 { // an eighth may put it down
		for k := range 9 { // others have answers from the other replicas
			if r := s.post(t, "/v1/chat/completions", chat(fmt.Sprintf("%d others.", k), "Hello.", nil)); r.status != 200 {
				t.Fatalf("status %d", r.status)
			}
			if n > 0 {
				break
			}
		}
		request, err := http.NewRequest(http.MethodPost, s.URL+"/v1/chat/completions", strings.NewReader(chat("One beginning for all of these.", fmt.Sprintf("%d POISON", n), nil)))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("content-type", "application/json")
		request.Header.Set("x-forwarded-for", fmt.Sprintf("203.0.113.%d", n))
		response, err := http.DefaultClient.Do(request)
		if err != nil || response.StatusCode != http.StatusInternalServerError {
			t.Fatalf("%v, %v; want 500", response, err)
		}
		response.Body.Close()
		time.Sleep(150 * time.Millisecond)
	}
	time.Sleep(1200 * time.Millisecond) // until metrics are told
	if n := s.stat(t, "warmroute_endpoints_down"); n > 0 {
		t.Errorf("%v replicas are down", n)
	}
}
