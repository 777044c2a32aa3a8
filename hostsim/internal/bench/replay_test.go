package bench

import (
	"bytes"
	"context"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"warmroute/hostsim/internal/stats"
	"warmroute/hostsim/internal/workload"
)

func sent(session, path, body string, after int) Sent {
	return Sent{After: after, Request: workload.Request{Session: session, Path: path, Body: []byte(body)}}
}

// What is sent again asks for a stream of the recorded length, by the model that the server has, in blocks of its own.
func TestBody(t *testing.T) {
	for _, c := range []struct{ path, body, model, salt, want string }{
		{"/v1/chat/completions", `{"model":"a","n":2,"max_completion_tokens":9,"stop":["x"],"messages":[{"role":"user","content":"<b>"}]}`, "m", "s",
			`{"cache_salt":"s","ignore_eos":true,"max_tokens":5,"messages":[{"role":"user","content":"\u003cb\u003e"}],"model":"m","stream":true,"stream_options":{"include_usage":true}}`},
		{"/v1/responses", `{"model":"a","max_tokens":3,"previous_response_id":"r","input":"x"}`, "", "",
			`{"ignore_eos":true,"input":"x","max_output_tokens":5,"model":"a","stream":true}`},
		{"/v1/messages", `{"model":"a","max_tokens":3,"messages":[]}`, "", "",
			`{"ignore_eos":true,"max_tokens":5,"messages":[],"model":"a","stream":true}`},
	} {
		got, err := Body(c.path, []byte(c.body), c.model, c.salt, 5)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%s, want\n%s", c.path, err, got, c.want)
		}
	}
	for path, body := range map[string]string{"/generate": `{}`, "/v1/completions": `[]`} {
		if _, err := Body(path, []byte(body), "", "", 1); err == nil {
			t.Errorf("%s %s: no error", path, body)
		}
	}
}

// Every API's stream ends, and says its tokens.
func TestReplayAPIs(t *testing.T) {
	s := start(t)
	const text = "Which row of the orchard is ripe first, and which one is the last? "
	bodies := map[string]string{
		"/v1/chat/completions": `{"model":"m","messages":[{"role":"user","content":"` + text + `"}]}`,
		"/v1/completions":      `{"model":"m","prompt":"` + text + `"}`,
		"/v1/responses":        `{"model":"m","input":"` + text + `"}`,
		"/v1/messages":         `{"model":"m","max_tokens":3,"messages":[{"role":"user","content":"` + text + `"}]}`,
	}
	model, err := Model(t.Context(), s.URL())
	if err != nil {
		t.Fatal(err)
	}
	var requests []Sent
	for _, path := range Paths() {
		body, err := Body(path, []byte(bodies[path]), model, "", 3)
		if err != nil {
			t.Fatal(err)
		}
		requests = append(requests, sent(path, path, string(body), -1))
	}
	r, err := Replay(t.Context(), Options{URL: s.URL(), Concurrency: 1}, "log", requests, Pace{Speed: 1})
	if err != nil || r.Requests != 4 || r.Errors != 0 {
		t.Fatalf("%v, %+v", err, r)
	}
	for _, c := range r.Records {
		if c.PromptTokens < 16 || c.OutputTokens != 3 || !(c.TTFTMS > 0) {
			t.Errorf("%s: %+v", c.Session, c)
		}
	}
}

// A closed loop sends a turn once the one before it is answered, and not before its time to think is over; an open one does not wait.
func TestReplayPace(t *testing.T) {
	for _, closed := range []bool{true, false} {
		var mu sync.Mutex
		flying, most := 0, 0
		second := make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			mu.Lock()
			flying++
			most = max(most, flying)
			alone := flying == 1 && !closed
			mu.Unlock()
			if alone { // the second does not wait for this
				select {
				case <-second:
				case <-time.After(5 * time.Second):
				}
			} else if !closed {
				close(second)
			}
			_, _ = w.Write([]byte("data: {\"choices\":[{\"text\":\"a\"}]}\n\ndata: [DONE]\n\n"))
			mu.Lock()
			flying--
			mu.Unlock()
		}))
		requests := []Sent{sent("a", "/", "{}", -1), sent("a", "/", "{}", 0)}
		requests[1].Think = 40 * time.Millisecond
		r, err := Replay(t.Context(), Options{URL: server.URL, Concurrency: 8}, "log", requests, Pace{Speed: 2, Closed: closed})
		server.Close()
		if want := map[bool]int{true: 1, false: 2}[closed]; err != nil || r.Errors != 0 || most != want {
			t.Errorf("closed %v: %v, %d in flight, want %d", closed, err, most, want)
		}
		if closed && r.WallS < 0.02 {
			t.Errorf("%v s: no time to think", r.WallS)
		}
	}
}

// What was answered before an interruption is kept.
func TestReplayStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("data: {\"choices\":[{\"text\":\"a\"}]}\n\ndata: [DONE]\n\n"))
	}))
	defer server.Close()
	requests := []Sent{sent("a", "/", "{}", -1), sent("b", "/", "{}", -1)}
	requests[1].At = time.Hour
	o := Options{URL: server.URL, Concurrency: 8, Progress: func(int, int) { cancel() }}
	r, err := Replay(ctx, o, "log", requests, Pace{Speed: 1})
	if !errors.Is(err, context.Canceled) || r == nil || r.Requests != 1 || r.Errors != 0 {
		t.Errorf("%v, %+v", err, r)
	}
}

func TestRatios(t *testing.T) {
	run := func(target string, ttft float64) *Result {
		return &Result{Target: target, TTFT: stats.NewDist([]float64{ttft}), PromptTokens: 10}
	}
	rounds := [][]*Result{{run("a", 10), run("b", 5)}, {run("a", 8), run("b", 8)}}
	got := Ratios(rounds)
	if len(got) != 4 || got[0].Target != "b" || math.Abs(got[0].Ratio-math.Sqrt(.5)) > 1e-9 || !(got[0].Least < got[0].Ratio && got[0].Ratio < got[0].Most) || got[3].Ratio != 1 {
		t.Errorf("%+v", got)
	}
	if one := Ratios(rounds[:1]); one[0].Ratio != .5 || one[0].Most != 0 {
		t.Errorf("%+v", one)
	}
	if none := Ratios(nil); none != nil {
		t.Errorf("%+v", none)
	}
}

// A stream that says it failed is a failed request, whatever the API.
func TestEventFaults(t *testing.T) {
	for _, stream := range []string{
		`data: {"type":"error","error":{"type":"overloaded_error"}}` + "\n\n",
		`data: {"type":"response.failed","response":{"error":{"code":"server_error"}}}` + "\n\n",
	} {
		var r Record
		if _, err := r.readStream(bytes.NewReader([]byte(stream)), time.Now()); err == nil {
			t.Errorf("%s: no error", stream)
		}
	}
}
