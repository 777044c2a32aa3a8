//go:build e2e

package e2e

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"warmroute/hostsim/internal/fleet"
)

// A replica that breaks off each answer behind its first token, which is a sign of life, soon gets few new prompts: before, a third of them, for good.
func TestBrokenAnswersDrawFewPrompts(t *testing.T) {
	t.Parallel()
	var breaking atomic.Value
	breaking.Store("")
	opt := options("endpoint", &fleet.Fleet{}, nil)
	opt.Concurrency = 1 // each worker learns by itself
	s, servers := launchBefore(t, opt, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		w.Header().Set("content-type", "text/event-stream")
		for i := range 3 {
			io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"word\"}}]}\n\n")
			http.NewResponseController(w).Flush()
			if i == 0 && r.Context().Value(http.LocalAddrContextKey).(fmt.Stringer).String() == breaking.Load() {
				reset(w)
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
		fmt.Fprintf(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":3}}\n\ndata: [DONE]\n\n", n/4)
	}))
	breaking.Store(strings.TrimPrefix(servers[1].URL, "http://"))
	asks := map[string]any{"stream": true, "stream_options": map[string]any{"include_usage": true}} // these answers come sooner than any can be computed
	var sent atomic.Int64
	broken := func(requests int64) float64 {
		was, until := s.stat(t, `warmroute_answers_total{outcome="broken"`), sent.Load()+requests
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for n := sent.Add(1); n <= until; n = sent.Add(1) {
					body := strings.NewReader(chat(story(int(n)), "Hello.", asks))
					if response, err := client.Post(s.URL+"/v1/chat/completions", "application/json", body); err == nil {
						io.Copy(io.Discard, response.Body)
						response.Body.Close()
					}
				}
			})
		}
		all.Wait()
		s.atRest(t)
		return s.stat(t, `warmroute_answers_total{outcome="broken"`) - was
	}
	broken(200)
	if n := broken(200); n > 20 {
		t.Errorf("%v of 200 answers were broken off", n)
	}
}
