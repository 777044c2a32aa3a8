//go:build e2evllm

package e2evllm

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestAbort: a client that leaves in mid-answer ends the work at the server too, and nothing stays in flight.
func TestAbort(t *testing.T) {
	s := launch(t, nil)
	// vLLM 0.32 does not count a client that left as finished_reason="abort": what it generated tells.
	generated := func() (n float64) {
		for _, server := range s.servers {
			n += sum(t, s.page(t, server), "vllm:generation_tokens_total")
		}
		return n
	}
	const answer = 6000 // tokens: a minute and more
	before := generated()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	response := s.open(ctx, t, "/v1/chat/completions", chat("abort", "Count to infinity.", map[string]any{
		"stream": true, "max_tokens": answer, "ignore_eos": true,
	}))
	defer response.Body.Close()
	lines := bufio.NewReader(response.Body)
	for range 8 { // the answer is under way
		if _, err := lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "it is in flight", func() bool { return s.stat(t, "warmroute_in_flight") == 1 }) // by the next tick
	leave()
	eventually(t, "nothing is in flight", func() bool { return s.stat(t, "warmroute_in_flight") == 0 })
	eventually(t, "the servers are idle", func() bool {
		return !slices.ContainsFunc(s.servers, func(server string) bool { return s.counters(t, server).Running > 0 })
	})
	if n := generated() - before; n < 1 || n >= answer {
		t.Errorf("%v tokens generated; want some, and less than the %d asked for", n, answer)
	}
	endpoint := fields(response.Header.Get("x-warmroute-decision"))["endpoint"]
	if r := s.post(t, "/v1/chat/completions", chat("abort", "Again.", nil)); r.decision["endpoint"] != endpoint || r.cached < 1000 {
		t.Errorf("afterwards %s answers with %d tokens cached; want %s, which holds the prompt", r.decision["endpoint"], r.cached, endpoint)
	}
}

// TestRestart: a server is killed while it holds prompts. Requests go on, to the others; when it is back, nothing is
// believed of its cache, and it gets requests again.
func TestRestart(t *testing.T) {
	s := launch(t, nil)
	homes := map[string]string{}
	ask := func(name string) reply {
		r := s.post(t, "/v1/chat/completions", chat(name, "Where are you?", nil))
		if r.status != 200 {
			t.Errorf("%s: status %d: %.200s", name, r.status, r.body)
		}
		return r
	}
	for i := range 12 {
		name := fmt.Sprint("restart ", i)
		homes[name] = ask(name).decision["endpoint"]
	}
	victim := homes["restart 0"]
	pool(t, "stop", fmt.Sprint(slices.Index(s.servers, victim)))
	lost := 0
	for name, home := range homes { // no request fails, whoever held its prompt
		r := ask(name)
		if home == victim {
			lost++
		}
		if by := r.decision["served"]; by == victim || by == "" && r.decision["endpoint"] == victim {
			t.Errorf("%s was answered by %s, which is stopped: %v", name, victim, r.decision)
		}
	}
	if lost == 0 || lost == len(homes) {
		t.Fatalf("%d of %d prompts were at the server that is stopped; want some", lost, len(homes))
	}
	pool(t, "start")
	back := false
	for i := 0; i < 400 && !back; i++ { // what is new goes to whoever has least
		r := ask(fmt.Sprint("new ", i))
		back = r.decision["endpoint"] == victim && r.decision["served"] == ""
		time.Sleep(50 * time.Millisecond)
	}
	if !back {
		t.Fatalf("%s is back, and gets nothing", victim)
	}
	// What it held before it was killed is not believed any more: wherever these go now, belief and truth agree.
	for name := range homes {
		r := ask(name)
		if expected := r.number("expected_cached_tokens"); expected > 200 && r.cached == 0 {
			t.Errorf("%s: expected %v tokens to be cached at %s, none were", name, expected, r.decision["endpoint"])
		}
	}
	if log := s.Log(); strings.Contains(log, "panic") || strings.Contains(log, "proxy_on") {
		t.Errorf("the module trapped: %s", log)
	}
}
