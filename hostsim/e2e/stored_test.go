//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/vllm"
)

// keeper is servers of the Responses API that keep what they have answered, each for itself, as vLLM's do: another answers 404.
type keeper struct {
	sync.Mutex
	kept map[string]string // where, by name
}

func (k *keeper) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	k.Lock()
	defer k.Unlock()
	id := strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/v1/responses/"), "/cancel")
	var body struct {
		Previous string `json:"previous_response_id"`
		Stream   bool   `json:"stream"`
	}
	if asks := r.Method == http.MethodPost && r.URL.Path == "/v1/responses"; asks {
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		id = body.Previous
	}
	server := r.Context().Value(http.LocalAddrContextKey).(fmt.Stringer).String()
	if id != "" && k.kept[id] != server {
		http.Error(w, `{"error":{"message":"Response with id '`+id+`' not found.","type":"invalid_request_error"}}`, http.StatusNotFound)
		return
	}
	name := fmt.Sprintf("resp_%032d", len(k.kept))
	k.kept[name] = server
	response := `{"id":"` + name + `","object":"response","status":"completed","output":[]}`
	if body.Stream {
		w.Header().Set("content-type", "text/event-stream")
		fmt.Fprintf(w, "event: response.created\ndata: {\"response\":%s,\"type\":\"response.created\"}\n\n", response)
		w.(http.Flusher).Flush()
		fmt.Fprintf(w, "event: response.completed\ndata: {\"response\":%s,\"type\":\"response.completed\"}\n\n", response)
		return
	}
	w.Header().Set("content-type", "application/json")
	io.WriteString(w, response)
}

// Conversations of the Responses API that name the response before go on at the replica that keeps it, through any worker, whatever the policy;
// and so do requests for a response by its name. Without the module two of three would be answered with 404.
func TestStoredResponses(t *testing.T) {
	for _, policy := range []string{"cache_aware", "round_robin"} {
		k := &keeper{kept: map[string]string{}}
		opt := options("endpoint", &fleet.Fleet{}, map[string]any{"policy": policy})
		opt.Concurrency = 3
		s, _ := launchBefore(t, opt, k)
		used := map[string]bool{}
		for c := range 12 {
			previous := ""
			for turn := range 4 {
				more := ""
				if previous != "" {
					more = `,"previous_response_id":"` + previous + `"`
				}
				if turn%2 == 1 {
					more += `,"stream":true`
				}
				r := s.post(t, "/v1/responses", fmt.Sprintf(`{"model":"%s","input":"%s"%s}`, vllm.DefaultModel, story(100*c+turn), more))
				if r.status != 200 {
					t.Fatalf("%s: conversation %d, turn %d: status %d, %s; %v", policy, c, turn, r.status, r.body, r.decision)
				}
				if previous != "" && r.decision["reason"] != "stored" {
					t.Errorf("%s: conversation %d, turn %d: %v", policy, c, turn, r.decision)
				}
				previous = r.body[strings.Index(r.body, "resp_"):][:37]
				used[k.kept[previous]] = true
			}
			for _, ask := range []struct{ method, path string }{{http.MethodGet, "/v1/responses/" + previous}, {http.MethodPost, "/v1/responses/" + previous + "/cancel"}, {http.MethodDelete, "/v1/responses/" + previous}} {
				req, err := http.NewRequestWithContext(t.Context(), ask.method, s.URL+ask.path, nil)
				if err != nil {
					t.Fatal(err)
				}
				response, err := client.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				if r := read(t, response); r.status != 200 {
					t.Errorf("%s: %s %s: status %d, %s", policy, ask.method, ask.path, r.status, r.body)
				}
			}
		}
		if len(used) < 2 {
			t.Errorf("%s: all conversations are at %v", policy, used)
		}
	}
}

// Another gateway knows which server keeps a response, where gateways share news.
func TestStoredResponsesAtAnotherGateway(t *testing.T) {
	t.Parallel()
	k := &keeper{kept: map[string]string{}}
	var servers []string
	for range 3 {
		server := httptest.NewServer(k)
		t.Cleanup(server.Close)
		servers = append(servers, strings.TrimPrefix(server.URL, "http://"))
	}
	m := launchMeshWith(t, 2, 2, map[string]any{"cluster": "gateways"}, &fleet.Fleet{}, servers...)
	const each = 20
	found := 0
	for n := range each {
		r := m.stacks[n%2].post(t, "/v1/responses", fmt.Sprintf(`{"model":"%s","input":"%s"}`, vllm.DefaultModel, story(n)))
		previous := r.body[strings.Index(r.body, "resp_"):][:37]
		time.Sleep(100 * time.Millisecond) // a busy machine takes some time for what two proxies do
		r = m.stacks[1-n%2].post(t, "/v1/responses", fmt.Sprintf(`{"model":"%s","input":"And?","previous_response_id":"%s"}`, vllm.DefaultModel, previous))
		if r.status == 200 && r.decision["reason"] == "stored" {
			found++
		}
	}
	if found < each*9/10 {
		t.Errorf("%d of %d conversations went on at another gateway", found, each)
	}
}
