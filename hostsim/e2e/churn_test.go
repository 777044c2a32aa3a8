//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/gateway"
)

// mostlyCalm is a replica that answers at once, and one request of a hundred in any way.
func mostlyCalm(w http.ResponseWriter, r *http.Request, odd http.Handler) {
	if r.URL.Path == "/metrics" || rand.IntN(100) == 0 {
		odd.ServeHTTP(w, r)
		return
	}
	io.Copy(io.Discard, r.Body)
	if rand.IntN(2) == 0 {
		w.Header().Set("content-type", "Text/Event-Stream")
		io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"word\"}}]}\r\n\r\ndata: [DONE]\r\n\r\n")
		return
	}
	w.Header().Set("content-type", "application/json")
	io.WriteString(w, `{"usage":{"prompt_tokens":700,"prompt_tokens_details":{"cached_tokens":100}}}`)
}

// mixed sends requests of many kinds until ctx is done, 50 a connection, and counts them.
func (s *stack) mixed(ctx context.Context, seed uint64, sent *atomic.Int64) {
	random := rand.New(rand.NewPCG(9, seed))
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	for ctx.Err() == nil {
		client := &http.Client{Timeout: 3 * time.Second, Transport: &http.Transport{}}
		for range 50 {
			body := chat(story(random.IntN(40)), strings.Repeat("Go on. ", random.IntN(300)), map[string]any{"stream": random.IntN(2) == 0, "model": fmt.Sprint("m", random.IntN(300))})
			request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+pick("/v1/chat/completions", "/v1/completions", "/v1/responses", "/v1/embeddings", "/other"), strings.NewReader(body))
			if err != nil {
				return
			}
			request.Header.Set("content-type", "application/json")
			request.Header.Set("x-tenant", fmt.Sprint(random.IntN(1000)))
			request.Header.Set("x-session-id", fmt.Sprint(random.IntN(100_000)))
			request.Header.Set("x-way", pick("plain", "retries", "hedging", "mirrors", "none"))
			sent.Add(1)
			if response, err := client.Do(request); err == nil {
				io.CopyN(io.Discard, response.Body, 300)
				response.Body.Close()
			}
		}
		client.CloseIdleConnections()
	}
}

// While endpoints come and go, one of them always dead, and the configuration changes, clients do all that they do: what has begun ends, nothing
// is kept, and no more endpoints have metrics than metric_endpoints says. With WARMROUTE_LONG for seven minutes.
func TestChurn(t *testing.T) {
	span, every := 6*time.Second, 200*time.Millisecond
	if os.Getenv("WARMROUTE_LONG") != "" {
		span, every = 7*time.Minute, 500*time.Millisecond
	}
	const most = 4
	opt := options("discovery", &fleet.Fleet{}, map[string]any{"decide_timeout": "200ms", "tenant_header": "x-tenant", "metric_endpoints": most})
	delete(opt.Plugin, "scrape")
	list, updated := &eds{t.TempDir()}, &listeners{file: filepath.Join(t.TempDir(), "lds.json")}
	odd := &moody{}
	for range 6 {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { mostlyCalm(w, r, odd) }))
		t.Cleanup(server.Close)
		opt.Replicas = append(opt.Replicas, strings.TrimPrefix(server.URL, "http://"))
	}
	list.write(t, map[string]string{opt.Replicas[0]: "HEALTHY"})
	opt.Concurrency, opt.Args = 2, []string{"--drain-time-s", "20"}
	opt.Edit = func(doc any) {
		list.edit(doc)
		byWay(doc)
		for _, at := range gateway.Find(doc, "access_log") {
			delete(at, "access_log")
		}
		updated.serve(t, doc)
	}
	s := inFront(t, opt, nil)
	s.post(t, "/v1/chat/completions", chat(story(1), "Hello.", nil))
	before, _ := taken(t, s.Pid())
	ctx, stop := context.WithTimeout(t.Context(), span)
	defer stop()
	var sent atomic.Int64
	var all sync.WaitGroup
	for c := range 10 {
		all.Go(func() { s.mixed(ctx, uint64(c), &sent) })
	}
	said := s.crowd(ctx, 6, 7)
	random := rand.New(rand.NewPCG(3, 3))
	for n := 0; ctx.Err() == nil; n++ {
		hosts := map[string]string{fmt.Sprintf("127.0.0.1:%d", 1+n%900): "HEALTHY"} // nobody listens there
		for _, address := range opt.Replicas {
			if random.IntN(5) > 0 {
				hosts[address] = []string{"HEALTHY", "HEALTHY", "HEALTHY", "UNHEALTHY", "DRAINING"}[random.IntN(5)]
			}
		}
		if list.write(t, hosts); n%5 == 4 {
			updated.update(t)
		}
		select {
		case <-ctx.Done():
		case <-time.After(every):
		}
	}
	all.Wait()
	odd.calm.Store(true)
	t.Logf("%d requests, and %v", sent.Load(), said())
	s.atRest(t)
	text, err := s.Get("/stats/prometheus?usedonly")
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]bool{}
	for _, found := range regexp.MustCompile(`warmroute_[a-z_]+\{[^}]*endpoint="([^"]*)"`).FindAllStringSubmatch(text, -1) {
		labels[found[1]] = true
	}
	after, _ := taken(t, s.Pid())
	t.Logf("%d endpoints have metrics; Envoy takes %d MB, then %d", len(labels), before>>20, after>>20)
	if len(labels) > 2*most+1 { // each worker has its own
		t.Errorf("%d endpoints have metrics, with metric_endpoints %d and two workers", len(labels), most)
	}
	if after > before+64<<20 {
		t.Errorf("Envoy takes %d MB, then %d", before>>20, after>>20)
	}
}
