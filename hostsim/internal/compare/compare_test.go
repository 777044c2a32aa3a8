package compare

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"warmroute/hostsim/internal/bench"
	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/vllm"
	"warmroute/hostsim/internal/workload"
)

// replicas starts two simulated vLLM servers, fast enough for a test.
func replicas(t *testing.T) *fleet.Fleet {
	t.Helper()
	profile, err := vllm.LoadProfile("h100-8b")
	if err != nil {
		t.Fatal(err)
	}
	f, err := fleet.Start(fleet.Options{N: 2, Profile: profile, Speed: 50})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// front is a proxy in front of a fleet; pick gives the place of the replica for the n-th request.
func front(t *testing.T, f *fleet.Fleet, pick func(n int) int) string {
	t.Helper()
	var proxies []*httputil.ReverseProxy
	for _, raw := range f.URLs() {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		p := httputil.NewSingleHostReverseProxy(u)
		p.FlushInterval = -1
		proxies = append(proxies, p)
	}
	var n atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The whole body first: the server closes it when the answer begins, and a proxy that has not seen its end yet
		// takes that for a failed request and closes the connection to the replica.
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxies[pick(int(n.Add(1)-1))].ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func options(t *testing.T) Options {
	f := replicas(t)
	var addresses []string
	for _, r := range f.Replicas {
		addresses = append(addresses, r.Addr())
	}
	return Options{
		Replicas: addresses,
		Targets: []Target{
			{Name: "in turn", URL: front(t, f, func(n int) int { return n % 2 })},
			{Name: "one", URL: front(t, f, func(int) int { return 0 })},
		},
		Loads:  []Load{{"shared-system", workload.Options{Requests: 12, PromptTokens: 400, SystemPrompts: 1, OutputTokens: 2}}},
		Rounds: 3, Seed: 7, Isolation: "auto", Concurrency: 1, Timeout: time.Minute, Sample: 5 * time.Millisecond,
	}
}

func TestCompare(t *testing.T) {
	for _, isolation := range []string{"auto", "reset"} {
		t.Run(isolation, func(t *testing.T) {
			o := options(t)
			o.Isolation = isolation
			r, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{"auto": "salt", "reset": "reset"}[isolation] // the gateways are not ours
			if r.Made.Isolation != want || r.Baseline != "in turn" || len(r.Runs) != 6 {
				t.Errorf("isolation %s, baseline %s, %d runs; want %s, in turn, 6", r.Made.Isolation, r.Baseline, len(r.Runs), want)
			}
			for _, run := range r.Runs {
				for _, sent := range run.records {
					if sent.Failed() {
						t.Errorf("%s round %d, request %d: %s", run.Target, run.Round, sent.Index, sent.Error)
					}
				}
				// Each server computes the one system prompt once in each run, from an empty cache.
				cold := map[string]float64{"in turn": 2, "one": 1}[run.Target]
				share := run.Servers.Computed - (cold * 400)
				if run.Errors > 0 || share < 0 || share > 12*4*110 {
					t.Errorf("%s round %d: computed %v tokens, %d errors; want %v × 400 and the questions", run.Target, run.Round, run.Servers.Computed, run.Errors, cold)
				}
				if got := run.Servers.Hits; got != float64(run.CachedTokens) {
					t.Errorf("%s round %d: the servers counted %v tokens hit, the clients %d", run.Target, run.Round, got, run.CachedTokens)
				}
				if n := run.Servers.histogram.Count(); n != 12 {
					t.Errorf("%s round %d: %v first tokens in /metrics, want 12", run.Target, run.Round, n)
				}
			}
			turn, one := r.Summaries[0], r.Summaries[1]
			if turn.Servers.HitRate >= one.Servers.HitRate || one.Servers.Imbalance != 2 || one.Requests != 36 {
				t.Errorf("hit rates %v and %v, imbalance %v, %d requests; want more on one replica, 2, 36",
					turn.Servers.HitRate, one.Servers.HitRate, one.Servers.Imbalance, one.Requests)
			}
			if turn.Against != nil || one.Against == nil || math.Abs(one.Against.Live-one.TTFT.Mean) > 1e-6*one.TTFT.Mean || one.Against.Half <= 0 {
				t.Errorf("against the baseline: %+v, %+v; want none, and the second's mean with an interval", turn.Against, one.Against)
			}
			if turn.Speedup != (Spread{1, 1, 1}) {
				t.Errorf("the baseline is %+v times as fast as itself", turn.Speedup)
			}
		})
	}
}

// Results are alike for all targets: within a round all get the same requests, and different ones in the next.
func TestRoundsDiffer(t *testing.T) {
	o := options(t)
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	tokens := map[int]map[int]bool{}
	var order []string
	for _, run := range r.Runs {
		if tokens[run.Round] == nil {
			tokens[run.Round] = map[int]bool{}
		}
		tokens[run.Round][run.PromptTokens] = true
		order = append(order, run.Target)
	}
	all := map[int]bool{}
	for round, n := range tokens {
		if len(n) != 1 {
			t.Errorf("round %d: prompts of %v tokens; want the same for all", round, n)
		}
		for v := range n {
			all[v] = true
		}
	}
	if len(all) < 2 {
		t.Errorf("all rounds had prompts of %v tokens", all)
	}
	if d := cmp.Diff([]string{"in turn", "one", "one", "in turn", "one", "in turn"}, order); d != "" {
		t.Errorf("order (-want +got)\n%s", d)
	}
}

func TestPageAndJSON(t *testing.T) {
	o := options(t)
	o.Rounds = 1
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	page, err := r.Page()
	if err != nil {
		t.Fatal(err)
	}
	var html bytes.Buffer
	if err := page.WriteHTML(&html); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"in turn", "hit rate", "<svg", "shared-system"} {
		if !strings.Contains(html.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back Result
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if len(back.Runs) != 2 || back.Runs[0].Servers.Queries == 0 || back.Made.Replicas != 2 || back.Summaries[1].TTFT.Mean <= 0 {
		t.Errorf("lost on the way through JSON: %+v", back.Made)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	good := options(t)
	for name, change := range map[string]func(*Options){
		"replicas":  func(o *Options) { o.Replicas = nil },
		"policy":    func(o *Options) { o.Targets = nil },
		"rounds":    func(o *Options) { o.Rounds = 0 },
		"sample":    func(o *Options) { o.Sample = 0 },
		"isolation": func(o *Options) { o.Isolation = "hope" },
		"baseline":  func(o *Options) { o.Baseline = "two" },
		"twice":     func(o *Options) { o.Targets = append(o.Targets, o.Targets[0]) },
		"loopback":  func(o *Options) { o.Replicas = []string{"192.0.2.1:80"} },
	} {
		o := good
		change(&o)
		if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got error %v, want one that names it", name, err)
		}
	}
}

// Servers without dev mode cannot empty their caches.
func TestWithoutDevMode(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	for isolation, want := range map[string]string{"auto": "salt", "reset": ""} {
		c := &comparison{Options: Options{Isolation: isolation}, pool: newPool([]string{strings.TrimPrefix(server.URL, "http://")})}
		err := c.isolate(t.Context())
		if want == "" && (err == nil || !strings.Contains(err.Error(), "VLLM_SERVER_DEV_MODE")) || want != "" && (err != nil || c.Isolation != want) {
			t.Errorf("%s: became %q, error %v; want %q", isolation, c.Isolation, err, want)
		}
	}
}

func TestInTurn(t *testing.T) {
	targets := []Target{{Name: "A"}, {Name: "B"}, {Name: "C"}}
	for round, want := range []string{"ABC", "CBA", "BCA", "ACB", "CAB", "BAC", "ABC"} {
		got := ""
		for _, target := range inTurn(targets, round) {
			got += target.Name
		}
		if got != want {
			t.Errorf("round %d: got %s, want %s", round, got, want)
		}
	}
}

func TestAgree(t *testing.T) {
	record := func(decision string, cached int) bench.Record {
		return bench.Record{Decision: decision, CachedTokens: cached}
	}
	got := agree([]bench.Record{
		record("policy=p;matched=2;blocks=4;expected_cached_tokens=100", 130),
		record("matched=1;expected_cached_tokens=50", 0),
		record("expected_cached_tokens=0", 20),
		record("policy=round_robin", 64), // without a belief
		{Decision: "expected_cached_tokens=9", Error: "reset"},
	})
	want := &Agreement{Requests: 3, Believed: 50, True: 50, MAE: 100. / 3, Bias: 0, Relative: 0, Unfounded: 1. / 3}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if got := agree([]bench.Record{record("", 5)}); got != nil {
		t.Errorf("without decisions: got %+v, want nothing", got)
	}
}

func TestTrace(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/tokenize" {
			w.WriteHeader(404)
			return
		}
		w.Write([]byte(`{"count":3,"tokens":[5,6,7]}`))
	}))
	defer server.Close()
	var got Trace
	c := &comparison{
		Options: Options{Model: "m", Trace: func(t Trace) error { got = t; return nil }},
		pool:    newPool([]string{strings.TrimPrefix(server.URL, "http://")}),
	}
	sent := workload.Request{Session: "s", Path: "/v1/chat/completions", Body: []byte(`{"model":"m"}`)}
	records := []bench.Record{
		{Session: "s", Sent: sent, PromptTokens: 3, OutputTokens: 2}, {Session: "s", Sent: sent, Error: "timeout"},
	}
	if err := c.trace(t.Context(), &Pass{Workload: "conversations", Round: 2, records: records}, 4); err != nil {
		t.Fatal(err)
	}
	if len(got.Lines) != 1 || got.Live != 4 || got.Round != 2 || got.Lines[0].OutputTokens != 2 || !strings.Contains(string(got.Lines[0].Body), "[5,6,7]") {
		t.Errorf("got %+v", got)
	}
	records[0].PromptTokens = 4
	if err := c.trace(t.Context(), &Pass{Workload: "conversations", Round: 2, records: records}, 4); err == nil {
		t.Error("a count that differs from the answer's is no error")
	}
}
