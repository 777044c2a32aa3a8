package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/vllm"
	"warmroute/hostsim/internal/workload"
)

func start(t *testing.T) *fleet.Server {
	t.Helper()
	p, err := vllm.LoadProfile("cpu-tiny")
	if err != nil {
		t.Fatal(err)
	}
	f, err := fleet.Start(fleet.Options{N: 1, Profile: p, Speed: 1000})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f.Replicas[0]
}

func work(t *testing.T, name string, o workload.Options) *workload.Workload {
	t.Helper()
	w, err := workload.New(name, o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestPhrasesAgainstOneReplica(t *testing.T) {
	s := start(t)
	w := work(t, "phrases", workload.Options{Requests: 6, PromptTokens: 640, OutputTokens: 4})
	r, err := Run(t.Context(), Options{URL: s.URL() + "/", Concurrency: 1}, w)
	if err != nil {
		t.Fatal(err)
	}
	// Each phrase is computed once; after that all but its last block of 32 tokens is cached.
	var cached []int
	for i, c := range r.Records {
		cached = append(cached, c.CachedTokens)
		if c.Index != i || c.Status != 200 || c.Replica != "replica-0" || c.PromptTokens != 640 || c.OutputTokens != 4 {
			t.Errorf("record %+v", c)
		}
		if c.TTFTMS <= 0 || c.LatencyMS < c.TTFTMS {
			t.Errorf("TTFT %v, latency %v", c.TTFTMS, c.LatencyMS)
		}
	}
	if diff := cmp.Diff([]int{0, 0, 608, 608, 608, 608}, cached); diff != "" {
		t.Errorf("cached tokens: want -, got +:\n%s", diff)
	}
	if r.Requests != 6 || r.Errors != 0 || r.TokenHitRatio != 4.0*608/(6*640) || r.RequestHitShare != 4.0/6 || r.Replicas["replica-0"] != 6 {
		t.Errorf("result %+v", r)
	}
}

func TestWarmupIsNotCounted(t *testing.T) {
	s := start(t)
	w := work(t, "phrases", workload.Options{Requests: 6, PromptTokens: 640})
	r, err := Run(t.Context(), Options{URL: s.URL(), Concurrency: 1, WarmupPasses: 2}, w)
	if err != nil || r.Requests != 6 || r.RequestHitShare != 1 {
		t.Errorf("%+v, %v: want 6 requests, all hits", r, err)
	}
	if got := s.Stats().Finished; got != 18 {
		t.Errorf("the replica saw %d requests, want 18", got)
	}
}

func TestConversationsHitTheirAnswers(t *testing.T) {
	s := start(t)
	w := work(t, "conversations", workload.Options{Requests: 40, PromptTokens: 100, OutputTokens: 60, Live: 4})
	r, err := Run(t.Context(), Options{URL: s.URL(), Concurrency: 4}, w)
	if err != nil || r.Errors != 0 || r.Requests != 40 {
		t.Fatalf("%+v, %v", r, err)
	}
	last := map[string]Record{}
	for _, c := range r.Records {
		if before, ok := last[c.Session]; ok {
			// Everything of the last turn but its last token was computed; only full blocks hit.
			if want := (before.PromptTokens + before.OutputTokens - 1) / 32 * 32; c.CachedTokens < want {
				t.Errorf("session %s: %d tokens cached, want %d", c.Session, c.CachedTokens, want)
			}
		}
		last[c.Session] = c
	}
}

func TestErrorsAreCounted(t *testing.T) {
	replies := []func(w http.ResponseWriter){
		func(w http.ResponseWriter) { http.Error(w, "no", http.StatusServiceUnavailable) },
		func(w http.ResponseWriter) { panic(http.ErrAbortHandler) },
		func(w http.ResponseWriter) {
			fmt.Fprint(w, "data: {\"choices\":[{\"text\":\"a\"}]}\n\n")
		},
		func(w http.ResponseWriter) { fmt.Fprint(w, "data: [DONE]\n\n") },
		func(w http.ResponseWriter) { fmt.Fprint(w, "data: {\"error\":{\"code\":500}}\n\n") },
		func(w http.ResponseWriter) { w.Header().Set("Location", "/x"); w.WriteHeader(http.StatusFound) },
		func(w http.ResponseWriter) {
			fmt.Fprint(w, ": a comment\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"ab\"}}]}\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":1,\"prompt_tokens_details\":null}}\n\ndata: [DONE]\n\n")
		},
		func(w http.ResponseWriter) { // an answer whose one token has no text
			fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"\"},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n")
		},
	}
	n := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		n++
		replies[n-1](w)
	}))
	defer server.Close()
	w := work(t, "phrases", workload.Options{Requests: len(replies), PromptTokens: 10})
	r, err := Run(t.Context(), Options{URL: server.URL, Concurrency: 1}, w)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"503": 1, "connect": 2, "stream": 3}
	if diff := cmp.Diff(want, r.ErrorsByStatus); diff != "" || r.Errors != 6 {
		t.Errorf("%d errors; want -, got +:\n%s", r.Errors, diff)
	}
	if r.PromptTokens != 9 || r.TokenHitRatio != 0 {
		t.Errorf("%d prompt tokens, hit ratio %v; want 9 and 0", r.PromptTokens, r.TokenHitRatio)
	}
}

func TestTimeoutAndCancel(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	defer server.Close()
	w := work(t, "phrases", workload.Options{Requests: 2, PromptTokens: 10})
	r, err := Run(t.Context(), Options{URL: server.URL, Concurrency: 2, Timeout: time.Millisecond}, w)
	if err != nil || r.ErrorsByStatus["timeout"] != 2 {
		t.Errorf("%+v, %v: want 2 timeouts", r, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, Options{URL: server.URL, Concurrency: 1}, w); err != context.Canceled {
		t.Errorf("cancelled: got %v", err)
	}
}

func TestURLsAllowed(t *testing.T) {
	for _, c := range []struct {
		url    string
		remote bool
		want   string
	}{
		{"http://127.0.0.1:8001", false, ""},
		{"http://localhost:8001", false, ""},
		{"http://[::1]:8001", false, ""},
		{"http://10.0.0.1:8001", false, "--allow-remote"},
		{"http://localhost.example.com", false, "--allow-remote"},
		{"http://10.0.0.1:8001", true, ""},
		{"127.0.0.1:8001", false, "http://host:port"},
		{"ftp://127.0.0.1", true, "http://host:port"},
	} {
		err := CheckURL(c.url, c.remote)
		if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, remote %v: got %v, want %q", c.url, c.remote, err, c.want)
		}
	}
	w := work(t, "phrases", workload.Options{Requests: 1})
	if _, err := Run(t.Context(), Options{URL: "http://10.0.0.1", Concurrency: 1}, w); err == nil {
		t.Error("Run went to another machine")
	}
	if _, err := Run(t.Context(), Options{URL: "http://127.0.0.1"}, w); err == nil || !strings.Contains(err.Error(), "concurrency") {
		t.Errorf("no concurrency: got %v", err)
	}
}

func TestModel(t *testing.T) {
	if got, err := Model(t.Context(), start(t).URL()); err != nil || got != fleet.DefaultModel {
		t.Errorf("got %q, %v; want %q", got, err, fleet.DefaultModel)
	}
}

func TestOutput(t *testing.T) {
	r := summarize("phrases", Options{URL: "http://x"}, []Record{
		{Replica: "b", Status: 200, TTFTMS: 1, LatencyMS: 2, PromptTokens: 10, CachedTokens: 5, OutputTokens: 2, TPOTMS: 1},
		{Replica: "a", Status: 500, Error: "x", failed: "500"},
	}, time.Second)
	var table strings.Builder
	if err := r.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2 requests in 1.0 s, 1 errors (500 1)", "token hit ratio 0.500 (5 of 10 prompt tokens), requests hit 100.0 %", "replicas: a 1, b 1", "TTFT ms"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("no %q in\n%s", want, &table)
		}
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"ttft_ms":{"mean":1,"p50":1,"p95":1,"p99":1}`, `"token_hit_ratio":0.5`, `"request_hit_share":1`, `"e2e_ms":`, `"tpot_ms":`, `"errors_by_status":{"500":1}`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no %s in %s", want, data)
		}
	}
}
