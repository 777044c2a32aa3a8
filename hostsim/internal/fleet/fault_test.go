package fleet

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/vllm"
)

// eventually waits, for as long as a test may last, until what goroutines do has happened.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// background sends a completion that the test cancels.
func background(t *testing.T, url, body string) (cancel func(), status <-chan int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, "POST", url+"/v1/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan int, 1)
	go func() {
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			done <- 0
			return
		}
		response.Body.Close()
		done <- response.StatusCode
	}()
	return cancel, done
}

func TestDisconnectAborts(t *testing.T) {
	for _, body := range []string{`{"prompt":"hello"}`, `{"prompt":["hello","there"],"stream":true}`} {
		f := start(t, 1, 1e-6) // a step takes hours
		s := f.Replicas[0]
		cancel, status := background(t, s.URL(), body)
		eventually(t, "running", func() bool { return s.Stats().Running > 0 })
		cancel()
		eventually(t, "aborted", func() bool { st := s.Stats(); return st.Running+st.Waiting+st.UsedBlocks == 0 })
		if got := <-status; got != 0 {
			t.Errorf("status %d of a request that was cancelled", got)
		}
		if _, page := send(t, "GET", s.URL()+"/metrics", ""); !strings.Contains(string(page), `finished_reason="abort",model_name="tiny"} `) ||
			strings.Contains(string(page), `finished_reason="abort",model_name="tiny"} 0.0`) {
			t.Error("the abort was not counted")
		}
	}
}

func TestFaults(t *testing.T) {
	f := start(t, 1, fast)
	s := f.Replicas[0]
	set := func(body string) {
		t.Helper()
		if response, data := send(t, "POST", s.URL()+"/fault", body); response.StatusCode != 200 {
			t.Fatalf("fault %s: %d %s", body, response.StatusCode, data)
		}
	}
	ask := func() int {
		response, _ := send(t, "POST", s.URL()+"/v1/completions", `{"prompt":"hello"}`)
		return response.StatusCode
	}

	set(`{"mode":"fast_error","status":503}`)
	if got := ask(); got != 503 || s.Stats().Queries != 0 {
		t.Errorf("fast_error: status %d and %d tokens looked up, want 503 and none", got, s.Stats().Queries)
	}
	set(`{"mode":"error"}`)
	if got := ask(); got != 500 || s.Stats().Queries == 0 {
		t.Errorf("error: status %d and %d tokens looked up, want 500 and some", got, s.Stats().Queries)
	}
	eventually(t, "the failed request is gone", func() bool { return s.Stats().Running == 0 })

	set(`{"mode":"refuse"}`)
	if _, err := http.Get(s.URL() + "/health"); err == nil {
		t.Error("refuse: got an answer")
	}
	set(`{"mode":"ok"}`)
	if got := ask(); got != 200 {
		t.Errorf("ok again: status %d", got)
	}

	set(`{"mode":"slow","factor":3}`)
	s.drivers[0].mu.Lock()
	if got := s.drivers[0].engine.Slowdown(); got != 3 {
		t.Errorf("slow: factor %v, want 3", got)
	}
	s.drivers[0].mu.Unlock()

	set(`{"mode":"hang"}`)
	_, status := background(t, s.URL(), `{"prompt":"hello"}`)
	if response, _ := send(t, "GET", s.URL()+"/health", ""); response.StatusCode != 200 {
		t.Error("hang: health does not answer")
	}
	select {
	case got := <-status:
		t.Errorf("hang: answered %d", got)
	default:
	}
	set(`{"mode":"ok"}`)
	if got := <-status; got != 200 {
		t.Errorf("hang, then ok: status %d", got)
	}
}

// small is a replica with room for so many blocks of 4 tokens, whose times are easy to add up.
func small(blocks, budget, seqs int) vllm.Profile {
	return vllm.Profile{
		Name: "small", StepOverhead: 1000, Admit: 100, PrefillPerToken: 10, AttentionPerPair: 1, DecodePerSeq: 5, DecodePerKVToken: 1,
		BlockSize: 4, KVBlocks: blocks, MaxNumBatchedTokens: budget, MaxNumSeqs: seqs, MaxModelLen: 4 * blocks,
	}
}

func TestStartErrors(t *testing.T) {
	f := start(t, 1, fast)
	port := f.Replicas[0].listener.Addr().(*net.TCPAddr).AddrPort().Port()
	p := small(8, 8, 1)
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{N: 1, Profile: p, Port: int(port)}, "is in use"},
		{Options{N: 0, Profile: p}, "replicas"},
		{Options{N: 3, Profile: p, Port: 65534}, "port"},
		{Options{N: 1, Profile: p, Speed: -1}, "speed"},
		{Options{N: 1, Profile: p, Host: "0.0.0.0"}, "host: 0.0.0.0 is not a loopback"},
		{Options{N: 1, Profile: p, Host: "example.com"}, "host"},
		{Options{N: 1}, "step_overhead_ns"},
	} {
		if got, err := Start(c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, %v; want %q", c.o, got, err, c.want)
		}
	}
}
