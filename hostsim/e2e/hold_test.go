//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"warmroute/hostsim/internal/fleet"
)

// Where the replicas' memory is short, a new prompt waits in Envoy as a whole and goes, as it was, once there is room; one whose
// client leaves before is forgotten. So it is with a header, and with a property and a gate.
func TestNewPromptsWaitForRoom(t *testing.T) {
	for _, example := range []string{"endpoint", "property"} {
		t.Run(example, func(t *testing.T) {
			s, usage, crowd := launchScarce(t, example)
			crowd()
			ends := make(chan string, 1000)
			sent := 0
			send := func(ctx context.Context) {
				sent++
				body := chat(story(1000+sent), "Hello.", streamed)
				request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v1/chat/completions", strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				request.Header.Set("content-type", "application/json")
				go func() {
					response, err := http.DefaultClient.Do(request)
					if err != nil {
						ends <- err.Error()
						return
					}
					defer response.Body.Close()
					io.Copy(io.Discard, response.Body)
					if got := response.Header.Get("x-received"); got != whole(body) {
						ends <- fmt.Sprintf("status %d, received %q, want %q", response.StatusCode, got, whole(body))
						return
					}
					ends <- ""
				}()
			}
			waiting := func() float64 { return s.stat(t, "warmroute_held{") }
			eventually(t, "two requests wait", func() bool {
				if waiting() < 2 {
					send(t.Context())
				}
				return waiting() >= 2
			})
			ctx, leave := context.WithCancel(t.Context())
			eventually(t, "a third waits", func() bool {
				if waiting() < 3 {
					send(ctx)
				}
				return waiting() >= 3
			})
			tokens := func() float64 { return s.stat(t, "warmroute_waiting_prefill_tokens{}") }
			eventually(t, "their tokens count as waiting at no endpoint", func() bool { return tokens() > 0 })
			leave()
			eventually(t, "its client has left", func() bool { return s.stat(t, `warmroute_held_total{outcome="left"`) >= 1 })
			usage.Store(5)
			for range sent {
				if fault := <-ends; fault != "" && !strings.Contains(fault, "context canceled") {
					t.Error(fault)
				}
			}
			eventually(t, "nobody waits", func() bool { return waiting() == 0 && tokens() == 0 })
			if n := s.stat(t, `warmroute_held_total{outcome="room"`); n < 2 {
				t.Errorf("%v requests were held until there was room", n)
			}
		})
	}
}

// launchScarce starts the Envoy of an example where requests may wait for room, in front of three replicas that say how many percent of
// their memory are in use, run five requests of other clients, and compute one prompt at a time. crowd fills it, and asks until one new
// prompt waits at the gateway and none does any more: from then on new prompts wait until there is room. Of these answers half are
// streamed.
func launchScarce(t *testing.T, example string, edits ...func(doc any)) (s *stack, usage *atomic.Int64, crowd func()) {
	t.Helper()
	usage = new(atomic.Int64)
	opt := options(example, &fleet.Fleet{}, map[string]any{"scrape": map[string]any{"cluster": "vllm", "interval": "100ms"}, "hold_limit": "60s"})
	if example == "property" {
		opt.Edit = gatesOfEnvoyGateway(t)
	} else if len(edits) > 0 {
		opt.Edit = edits[0]
	}
	var cards sync.Map // by address
	s, _ = launchBefore(t, opt, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		of, _ := cards.LoadOrStore(r.Context().Value(http.LocalAddrContextKey).(net.Addr).String(), &card{computing: make(chan struct{}, 1)})
		switch c := of.(*card); r.URL.Path {
		case "/v1/chat/completions":
			receive(w, r)
			c.compute(r.Context(), 300*time.Millisecond)
			w.Header().Set("content-type", "text/event-stream")
			io.WriteString(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"}}]}\n\ndata: [DONE]\n\n")
		case "/metrics":
			running := len(c.computing)
			waiting := max(int(c.requests.Load())-running, 0)
			fmt.Fprintf(w, "vllm:num_requests_running %d\nvllm:num_requests_waiting %d\nvllm:kv_cache_usage_perc %g\n"+
				"vllm:cache_config_info{block_size=\"16\",num_gpu_blocks=\"20000\"} 1\n", 5+running, waiting, float64(usage.Load())/100)
		default:
			sink(w, r)
		}
	}))
	var session atomic.Int64
	ask := func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second) // it may have to wait
		defer cancel()
		n := int(session.Add(1))
		body := chat(story(2000+n), strings.Repeat("Tell me more. ", 3000), map[string]any{"stream": n%2 == 0})
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v1/chat/completions", strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return
		}
		request.Header.Set("content-type", "application/json")
		if response, err := client.Do(request); err == nil {
			io.Copy(io.Discard, response.Body)
			response.Body.Close()
		}
	}
	return s, usage, func() {
		t.Helper()
		usage.Store(95)
		var asking sync.WaitGroup
		done := make(chan struct{})
		for range 15 {
			asking.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
						ask()
					}
				}
			})
		}
		eventually(t, "new prompts wait", func() bool { return s.stat(t, "warmroute_held{") > 0 })
		close(done)
		asking.Wait()
		eventually(t, "none of these waits", func() bool { return s.stat(t, "warmroute_held{") == 0 })
	}
}

// card computes one prompt at a time.
type card struct {
	computing chan struct{}
	requests  atomic.Int64
}

func (c *card) compute(ctx context.Context, prompt time.Duration) {
	c.requests.Add(1)
	defer c.requests.Add(-1)
	select {
	case c.computing <- struct{}{}:
		time.Sleep(prompt)
		<-c.computing
	case <-ctx.Done():
	}
}
