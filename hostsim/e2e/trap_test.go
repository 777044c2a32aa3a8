//go:build e2e

package e2e

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/gateway"
)

// Ten thousand requests, of which one in ten has a client that hangs up in the middle, and a module that fails three
// times: what is in flight at rest is nothing, and only requests at the worker that failed notice.
func TestNothingStaysInFlight(t *testing.T) {
	const requests, clients, traps = 10_000, 16, 3
	f, err := fleet.Start(fleet.Options{N: 3, Profile: profile(t), Speed: 100})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	opt := options("endpoint", f, nil)
	opt.Concurrency, opt.Wasm = 2, root+"build/warmroute-trap.wasm"
	g, err := gateway.Start(t.Context(), opt)
	if err != nil {
		t.Fatalf("%v (./build.sh e2e builds it)", err)
	}
	t.Cleanup(g.Close)
	s := &stack{Gateway: g, fleet: f}

	var next, failed, most atomic.Int64
	var all sync.WaitGroup
	for c := range clients {
		random := rand.New(rand.NewPCG(1, uint64(c)))
		all.Go(func() {
			for {
				i := next.Add(1)
				if i > requests {
					return
				}
				if i%(requests/traps) == requests/traps/2 {
					before := failures(s)
					for tries := 0; tries < 50 && failures(s) == before; tries++ { // a worker that Envoy has not loaded again yet refuses it
						s.once(t, random, []string{"x-warmroute-test-trap", "1"})
						failed.Add(1)
						time.Sleep(200 * time.Millisecond)
					}
					continue
				}
				if s.once(t, random, nil) != http.StatusOK {
					failed.Add(1)
					time.Sleep(20 * time.Millisecond) // as clients do: refusals are so fast that they would use up all requests in the second below
				}
				if i%500 == 0 {
					most.Store(max(most.Load(), int64(s.stat(t, "warmroute_in_flight"))))
				}
			}
		})
	}
	all.Wait()
	if n := failures(s); n != traps {
		t.Errorf("the module failed %d times, want %d", n, traps)
	}
	// Envoy loads a module that fails again only after a second or so, and the worker answers 503 until then.
	if n := failed.Load(); n < traps || n > requests/2 {
		t.Errorf("%d requests failed, want %d at least and the other worker's not", n, traps)
	}
	if most.Load() == 0 {
		t.Error("nothing was ever in flight")
	}
	eventually(t, "nothing is in flight at rest", func() bool { return s.stat(t, "warmroute_in_flight") == 0 })
	if r := s.post(t, "/v1/chat/completions", chat(story(1), "Still there?", nil)); r.status != 200 || r.decision["endpoint"] == "" {
		t.Errorf("after all that: status %d, decision %v", r.status, r.decision)
	}
	t.Logf("%d requests failed by %d failures of the module; at most %d were seen in flight", failed.Load(), traps, most.Load())
}

// failures is how often the module has failed.
func failures(s *stack) int { return strings.Count(s.Log(), "a test asked for it") }

// once sends a request; one in ten hangs up in the middle of its answer. It returns the status.
func (s *stack) once(t *testing.T, random *rand.Rand, headers []string) int {
	hangsUp := len(headers) == 0 && random.IntN(10) == 0
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	body := chat(story(random.IntN(40)), fmt.Sprint(random.IntN(1000)), map[string]any{"stream": hangsUp, "max_tokens": map[bool]int{true: 1000, false: 1}[hangsUp]})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0
	}
	req.Header.Set("content-type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	response, err := client.Do(req)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	if hangsUp {
		_, _ = bufio.NewReader(response.Body).ReadString('\n')
		return response.StatusCode
	}
	_ = read(t, response)
	return response.StatusCode
}
