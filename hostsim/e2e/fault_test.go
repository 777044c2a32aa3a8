//go:build e2e

package e2e

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"warmroute/hostsim/internal/gateway"
)

// stream opens an SSE request and returns its response; the caller closes the body.
func (s *stack) stream(ctx context.Context, t *testing.T, body string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("content-type", "application/json")
	response, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

func TestStreaming(t *testing.T) {
	t.Parallel()
	s := launch(t, "endpoint", nil)
	body := chat(story(3), "Stream.", map[string]any{
		"stream": true, "max_tokens": 20, "stream_options": map[string]bool{"include_usage": true},
	})
	for range 2 { // the second one hits the cache
		response := s.stream(t.Context(), t, body)
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || !strings.HasSuffix(strings.TrimSpace(string(text)), "data: [DONE]") {
			t.Fatalf("the stream ended with %v: %s", err, text)
		}
	}
	eventually(t, "the module learned the true hit of a stream", func() bool {
		return s.stat(t, "warmroute_cached_tokens_total") > 500
	})
	eventually(t, "both times to first token are in the histogram", func() bool { // which Envoy fills every five seconds
		return s.stat(t, "warmroute_ttft_milliseconds_count") == 2
	})
}

// A client that hangs up in mid-answer, and one that hangs up in mid-upload, leave nothing in flight.
func TestHangUp(t *testing.T) {
	t.Parallel()
	s := launch(t, "endpoint", nil)
	for range 5 {
		ctx, hangUp := context.WithCancel(t.Context())
		response := s.stream(ctx, t, chat(story(4), "Tell.", map[string]any{"stream": true, "max_tokens": 4000}))
		if _, err := bufio.NewReader(response.Body).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the stream is in flight", func() bool { return s.stat(t, "warmroute_in_flight") >= 1 })
		hangUp()
		response.Body.Close()

		s.abandonUpload(t)
	}
	eventually(t, "nothing is in flight at rest", func() bool { return s.stat(t, "warmroute_in_flight") == 0 })
}

// abandonUpload sends the beginning of a body and hangs up.
func (s *stack) abandonUpload(t *testing.T) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "POST /v1/chat/completions HTTP/1.1\r\nhost: h\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n"+
		`{"model":"m","messages":[{"role":"user","content":"Hel`)
	time.Sleep(20 * time.Millisecond) // for the proxy to read it; a shorter wait tests less, a longer one no more
}

// Every request that is held is let go again, also in the module's books: were they to fill up, later requests would no
// longer be read.
func TestInspectionsEnd(t *testing.T) {
	s := launch(t, "endpoint", func(o *gateway.Options) {
		o.Plugin = map[string]any{"policy": "prefix_hash", "max_inspecting": 2}
	})
	for i := range 60 {
		r := s.post(t, "/v1/chat/completions", chat(story(i%8), fmt.Sprint("Question ", i), nil))
		if r.status != 200 || r.decision["reason"] != "home" {
			t.Fatalf("request %d: got status %d, decision %v; want by the prompt's home", i, r.status, r.decision)
		}
		switch i % 10 {
		case 3:
			s.abandonUpload(t)
		case 6:
			if r := s.post(t, "/v1/chat/completions", `{"model":"m","messages":[`); r.decision["why"] != "broken_json" {
				t.Fatalf("a broken body after request %d: got decision %v", i, r.decision)
			}
		}
	}
}

// A replica dies while requests run: those that had no answer yet are retried elsewhere, so no client notices.
func TestReplicaKilled(t *testing.T) {
	t.Parallel()
	for _, example := range []string{"endpoint", "cluster"} {
		t.Run(example, func(t *testing.T) {
			s := launch(t, example, nil)
			var clients sync.WaitGroup
			bad := make(chan string, 1000)
			for c := range 4 {
				clients.Go(func() {
					for i := range 30 {
						r := s.post(t, "/v1/chat/completions", chat(story(c*100+i%6), "Alive?", nil))
						if r.status != 200 {
							bad <- fmt.Sprintf("client %d request %d: status %d: %s", c, i, r.status, r.body)
						}
						if c == 0 && i == 8 {
							s.fleet.Replicas[1].Close()
						}
					}
				})
			}
			clients.Wait()
			close(bad)
			for text := range bad {
				t.Error(text)
			}
			dead := s.fleet.Replicas[1].Addr()
			eventually(t, "the access log says who served a retried request", func() bool {
				for line := range strings.Lines(s.AccessLog()) {
					if _, served, ok := strings.Cut(line, ";served="); ok && strings.Contains(line, " 200 ") &&
						strings.Contains(line, " attempts=2 ") && strings.Contains(line, "endpoint="+dead+";") && !strings.HasPrefix(served, dead) {
						return true
					}
				}
				return false
			})
			eventually(t, "nothing is in flight at rest", func() bool { return s.stat(t, "warmroute_in_flight") == 0 })
		})
	}
}

// A request that another replica than the first choice answers is in flight there.
func TestInFlightWhereItIsServed(t *testing.T) {
	t.Parallel()
	for _, example := range []string{"endpoint", "cluster"} {
		t.Run(example, func(t *testing.T) {
			s := launch(t, example, byPrefix)
			body := chat(story(7), "Tell.", map[string]any{"stream": true, "max_tokens": 4000})
			home := s.post(t, "/v1/chat/completions", chat(story(7), "Tell.", nil)).replica
			for _, r := range s.fleet.Replicas {
				if r.Name() == home {
					r.Close()
				}
			}
			ctx, hangUp := context.WithCancel(t.Context())
			defer hangUp()
			response := s.stream(ctx, t, body)
			defer response.Body.Close()
			if _, err := bufio.NewReader(response.Body).ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			by := response.Header.Get("x-replica")
			if by == "" || by == home {
				t.Fatalf("got an answer from %q, with %s dead", by, home)
			}
			decision := fields(response.Header.Get("x-warmroute-decision"))
			if decision["endpoint"] != s.address(t, home) || decision["served"] != s.address(t, by) {
				t.Errorf("got decision %v, want of %s, served by %s", decision, s.address(t, home), s.address(t, by))
			}
			for _, r := range s.fleet.Replicas {
				want := 0.0
				if r.Name() == by {
					want = 1
				}
				eventually(t, fmt.Sprintf("%v in flight at %s during a stream of %s", want, r.Name(), by), func() bool {
					return s.stat(t, fmt.Sprintf(`warmroute_in_flight{endpoint="%s"`, r.Addr())) == want
				})
			}
		})
	}
}

// Without its flag Envoy never shows a held body. The request goes on unrouted within decide_timeout, a warning names
// the setting, and after a few such requests none is held any more.
func TestFlagMissing(t *testing.T) {
	t.Parallel()
	s := launch(t, "endpoint", func(o *gateway.Options) {
		o.Plugin = map[string]any{"decide_timeout": "300ms"}
		o.Edit = func(doc any) {
			for _, config := range gateway.Find(doc, "allow_on_headers_stop_iteration") {
				delete(config, "allow_on_headers_stop_iteration")
			}
		}
	})
	for i := range 6 {
		if r := s.post(t, "/v1/chat/completions", chat(story(i), "Hello?", nil)); r.status != 200 {
			t.Fatalf("request %d: got status %d", i, r.status)
		}
	}
	if got := s.stat(t, `warmroute_passed_total{reason="stalled"}`); got != 3 {
		t.Errorf("stalled requests: got %v, want 3: later ones are not held", got)
	}
	eventually(t, "three requests were routed by load", func() bool { return s.stat(t, `warmroute_requests_total{reason="by_load"`) == 3 })
	if !strings.Contains(s.Log(), "allow_on_headers_stop_iteration") {
		t.Errorf("the log does not name the setting:\n%s", s.Log())
	}
}

// A bad configuration stops Envoy's start with the name of the field.
func TestBadConfiguration(t *testing.T) {
	t.Parallel()
	f := pool(t)
	for _, c := range []struct {
		plugin map[string]any
		want   string
	}{
		{map[string]any{"policy": "hash"}, "policy:"},
		{map[string]any{"endpoints": []any{}}, "endpoints:"},
		{map[string]any{"endpoints": []any{"10.0.0.1"}}, "endpoints[0]"},
		{map[string]any{"prefix_hash": map[string]any{"load_factor": 0.5}}, "prefix_hash.load_factor:"},
	} {
		g, err := gateway.Start(t.Context(), options("endpoint", f, c.plugin))
		if err == nil {
			g.Close()
			t.Errorf("%v: Envoy started", c.plugin)
		} else if !strings.Contains(err.Error(), "the configuration is refused: "+c.want) {
			t.Errorf("%v: got %v; want the start refused because of %s", c.plugin, err, c.want)
		}
	}
}
