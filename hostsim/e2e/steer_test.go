//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/gateway"
)

// Both steering targets: what must hold whichever way Envoy is told.
func TestSteering(t *testing.T) {
	for _, example := range []string{"endpoint", "cluster", "property"} {
		t.Run(example, func(t *testing.T) {
			s := launch(t, example, byPrefix)
			t.Run("a prefix stays on one replica", s.samePrefix)
			t.Run("a forged header is ignored", s.forged)
			t.Run("a broken body passes through", s.broken)
			t.Run("other requests pass", s.others)
			t.Run("the decision is logged", s.logged)
		})
	}
}

func (s *stack) samePrefix(t *testing.T) {
	used := map[string]bool{}
	for n := range 8 {
		home := ""
		for turn := range 3 {
			r := s.post(t, "/v1/chat/completions", chat(story(n), fmt.Sprint("Question ", turn), nil))
			if r.status != 200 {
				t.Fatalf("status %d: %s", r.status, r.body)
			}
			if home == "" {
				home = r.replica
			}
			if r.replica != home {
				t.Errorf("story %d turn %d: got %s, want %s as before", n, turn, r.replica, home)
			}
			if at := s.address(t, r.replica); r.decision["endpoint"] != at {
				t.Errorf("the decision says %s; %s answered at %s", r.decision["endpoint"], r.replica, at)
			}
		}
		used[home] = true
	}
	if len(used) < 2 {
		t.Errorf("8 prompts all went to %v: nothing is spread", used)
	}
}

// address is where the named replica listens.
func (s *stack) address(t *testing.T, name string) string {
	t.Helper()
	for _, r := range s.fleet.Replicas {
		if r.Name() == name {
			return r.Addr()
		}
	}
	t.Fatalf("no replica is named %q", name)
	return ""
}

func (s *stack) forged(t *testing.T) {
	body := chat(story(1), "Who?", nil)
	want := s.post(t, "/v1/chat/completions", body).replica
	for i, r := range s.fleet.Replicas {
		got := s.post(t, "/v1/chat/completions", body,
			"x-gateway-destination-endpoint", r.Addr(), "x-warmroute-cluster", fmt.Sprint("vllm-", i))
		if got.replica != want {
			t.Errorf("with headers that name %s: got %s, want %s", r.Name(), got.replica, want)
		}
	}
	// What is not steered must not be steered by the client either.
	get, _ := http.NewRequest(http.MethodGet, s.URL+"/v1/models", nil)
	get.Header.Set("x-warmroute-cluster", "no-such-cluster")
	get.Header.Set("x-gateway-destination-endpoint", "127.0.0.1:1")
	response, err := client.Do(get)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != 200 {
		t.Errorf("GET with forged headers: got status %d, want 200", response.StatusCode)
	}
	// Envoy removes the one that it would obey before the module sees it; TestForgedWhileModuleIsOff runs without that.
	if s.stat(t, "warmroute_removed_headers_total") < 4 {
		t.Errorf("removed headers: got %v, want at least 4", s.stat(t, "warmroute_removed_headers_total"))
	}
}

func (s *stack) broken(t *testing.T) {
	for _, c := range []struct{ name, body, why string }{
		{"cut off", `{"model":"m","messages":[{"role":"user","content":"Hel`, "broken_json"},
		{"not JSON", "Hello", "broken_json"},
		{"an array", `[1,2]`, ""},
		{"no messages", `{"model":"warmroute-sim"}`, "no_prompt"},
	} {
		r := s.post(t, "/v1/chat/completions", c.body)
		if r.status != 400 || r.replica == "" {
			t.Errorf("%s: got status %d from %q, want the replica's own 400", c.name, r.status, r.replica)
		}
		if r.decision["reason"] != "by_load" || r.decision["why"] == "" || c.why != "" && r.decision["why"] != c.why {
			t.Errorf("%s: got decision %v, want by_load because of %s", c.name, r.decision, c.why)
		}
	}
}

func (s *stack) others(t *testing.T) {
	for _, path := range []string{"/v1/models", "/health", "/metrics"} {
		response, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != 200 {
			t.Errorf("GET %s: got status %d", path, response.StatusCode)
		}
	}
	if s.stat(t, `warmroute_passed_total{reason="not_post"}`) < 3 {
		t.Error("requests that passed are not counted")
	}
}

func (s *stack) logged(t *testing.T) {
	r := s.post(t, "/v1/chat/completions", chat(story(2), "Logged?", nil))
	_, cached := usage(t, r.body)
	line := ""
	eventually(t, "the access log holds the decision and what became of it", func() bool {
		for l := range strings.Lines(s.AccessLog()) {
			if strings.Contains(l, "key="+r.decision["key"]) && strings.Contains(l, "cached_tokens=") {
				line = strings.TrimSpace(l)
			}
		}
		return strings.HasSuffix(line, fmt.Sprint(";cached_tokens=", cached))
	})
	for _, want := range []string{" 200 ", " upstream=" + s.address(t, r.replica) + " ", " attempts=1 ", "reason=" + r.decision["reason"]} {
		if !strings.Contains(line, want) {
			t.Errorf("the access log lacks %q: %s", want, line)
		}
	}
	if strings.Contains(line, "river") || strings.Contains(line, "Logged") {
		t.Errorf("the access log shows the prompt: %s", line)
	}
}

// The decision is shown to those who ask, where the configuration has a header to ask with.
func TestDecisionOnRequest(t *testing.T) {
	s := launch(t, "endpoint", func(o *gateway.Options) { o.Plugin = map[string]any{"ask_header": "x-warmroute-debug"} })
	body := chat(story(3), "Why?", nil)
	for i := range 3 {
		if r := s.post(t, "/v1/chat/completions", body); r.decision["endpoint"] != "" {
			t.Errorf("request %d did not ask, and is shown %v", i, r.decision)
		}
		if r := s.post(t, "/v1/chat/completions", body, "X-Warmroute-Debug", "1"); r.decision["endpoint"] != s.address(t, r.replica) {
			t.Errorf("request %d asked, and is shown %v; %s answered", i, r.decision, r.replica)
		}
	}
}

// With a secret, the decision is shown to those who have it, and replicas do not see it.
func TestDecisionBySecret(t *testing.T) {
	const secret, name = "sixteen characters and more", "X-Warmroute-Debug"
	seen := make(chan string, 100)
	replica := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			seen <- r.Header.Get(name)
		}
	}))
	t.Cleanup(replica.Close)
	opt := options("endpoint", &fleet.Fleet{}, map[string]any{"ask_header": "x-warmroute-debug", "ask_secret_env": "WARMROUTE_ASK"})
	opt.Replicas = slices.Repeat([]string{strings.TrimPrefix(replica.URL, "http://")}, 3)
	opt.Plugin["endpoints"] = opt.Replicas[:1]
	opt.Edit = func(doc any) {
		for _, vm := range gateway.Find(doc, "runtime") {
			vm["environment_variables"] = map[string]any{"host_env_keys": []any{"WARMROUTE_ASK"}}
		}
	}
	if g, err := gateway.Start(t.Context(), opt); err == nil || !strings.Contains(err.Error(), "ask_secret_env") {
		g.Close()
		t.Fatalf("without the secret the start was not refused for it: %v", err)
	}
	opt.Env = []string{"WARMROUTE_ASK=" + secret}
	g, err := gateway.Start(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	s := &stack{Gateway: g}
	for _, value := range []string{"", "1", secret[1:], secret + "x", strings.ToUpper(secret), secret} {
		r := s.post(t, "/v1/chat/completions", chat(story(3), "Why?", nil), name, value)
		if shown := len(r.decision) > 0; shown != (value == secret) {
			t.Errorf("asked with %q, shown %v: %v", value, shown, r.decision)
		}
		if got := <-seen; got != "" {
			t.Errorf("the replica has seen %q", got)
		}
	}
}
