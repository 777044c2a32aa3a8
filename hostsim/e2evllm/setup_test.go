//go:build e2evllm

package e2evllm

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/compare"
	"warmroute/hostsim/internal/gateway"
)

const root = "../../"

// client gives up long before the test runner does. A cold prompt takes a second at most.
var client = &http.Client{Timeout: 60 * time.Second}

// stack is the pool of real servers with an Envoy in front.
type stack struct {
	*gateway.Gateway
	servers []string // ip:port
}

// pool runs a command of examples/vllm-cpu/pool.sh and returns what it prints.
func pool(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(root+"examples/vllm-cpu/pool.sh", args...)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("pool.sh %v: %v: %s", args, err, &complaints)
	}
	return strings.TrimSpace(string(out))
}

// launch starts an Envoy in front of the pool, whose caches are emptied.
func launch(t *testing.T, plugin map[string]any) *stack {
	t.Helper()
	s := &stack{servers: strings.Split(pool(t, "addresses"), ",")}
	s.forget(t)
	configuration := map[string]any{"response_header": "x-warmroute-decision"}
	for name, value := range plugin {
		configuration[name] = value
	}
	var err error
	s.Gateway, err = gateway.Start(t.Context(), gateway.Options{
		Envoy: os.Getenv("ENVOY"), Wasm: root + "build/warmroute.wasm", Config: root + "examples/envoy/endpoint.yaml",
		Replicas: s.servers, Plugin: configuration,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// forget empties the servers' prefix caches, of which the module is told nothing.
func (s *stack) forget(t *testing.T) {
	t.Helper()
	for _, server := range s.servers {
		response, err := client.Post("http://"+server+"/reset_prefix_cache", "", nil)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Fatalf("%s: /reset_prefix_cache answered %s", server, response.Status)
		}
	}
}

// reply is a whole answer.
type reply struct {
	status   int
	decision map[string]string
	prompt   int // usage.prompt_tokens
	cached   int // usage.prompt_tokens_details.cached_tokens
	body     string
	parts    []string // data of each event, of a stream
}

// usage is where vLLM says what a request cost.
type usage struct {
	Usage *struct {
		Prompt  int `json:"prompt_tokens"`
		Details *struct {
			Cached int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
}

// post sends a body through Envoy and reads the whole answer, stream or not.
func (s *stack) post(t *testing.T, path string, body map[string]any) reply {
	t.Helper()
	response := s.open(t.Context(), t, path, body)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	r := reply{status: response.StatusCode, decision: fields(response.Header.Get("x-warmroute-decision")), body: string(text)}
	last := r.body
	if strings.HasPrefix(response.Header.Get("content-type"), "text/event-stream") {
		lines := bufio.NewScanner(strings.NewReader(r.body))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				r.parts = append(r.parts, data)
			}
		}
		if n := len(r.parts); n > 1 {
			last = r.parts[n-2]
		}
	}
	var u usage
	if r.status == 200 && json.Unmarshal([]byte(last), &u) == nil && u.Usage != nil {
		r.prompt = u.Usage.Prompt
		if u.Usage.Details != nil {
			r.cached = u.Usage.Details.Cached
		}
	}
	return r
}

// open sends a body and returns the response's head.
func (s *stack) open(ctx context.Context, t *testing.T, path string, body map[string]any) *http.Response {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+path, strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("content-type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// chat is a chat completions body under a system prompt of some 1,500 tokens that differs from its start on for each name.
func chat(name, question string, more map[string]any) map[string]any {
	body := map[string]any{
		"model": "tiny", "max_tokens": 4,
		"messages": []map[string]string{{"role": "system", "content": story(name)}, {"role": "user", "content": question}},
	}
	for key, value := range more {
		body[key] = value
	}
	return body
}

func story(name string) string {
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "Story %s, line %d: the river ran past the mill. ", name, i)
	}
	return b.String()
}

// fields splits a decision's text.
func fields(decision string) map[string]string {
	m := map[string]string{}
	for pair := range strings.SplitSeq(decision, ";") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			m[name] = value
		}
	}
	return m
}

// number is a member of a decision; -1 where it is not there.
func (r reply) number(name string) float64 {
	v, err := strconv.ParseFloat(r.decision[name], 64)
	if err != nil {
		return -1
	}
	return v
}

// counters is what a server's /metrics says now.
func (s *stack) counters(t *testing.T, server string) compare.Counters {
	t.Helper()
	page := s.page(t, server)
	c, err := compare.ReadCounters(strings.NewReader(page))
	if err != nil {
		t.Fatalf("%s: %v", server, err)
	}
	return c
}

func (s *stack) page(t *testing.T, server string) string {
	t.Helper()
	response, err := client.Get("http://" + server + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// sum adds up the samples of a Prometheus page whose line begins with prefix and contains all of the words.
func sum(t *testing.T, page, prefix string, words ...string) float64 {
	t.Helper()
	total := 0.0
lines:
	for line := range strings.Lines(page) {
		if !strings.HasPrefix(line, prefix) {
			continue
		}
		for _, w := range words {
			if !strings.Contains(line, w) {
				continue lines
			}
		}
		value, err := strconv.ParseFloat(strings.TrimSpace(line[strings.LastIndexByte(line, ' ')+1:]), 64)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		total += value
	}
	return total
}

// stat sums up Envoy's own metrics.
func (s *stack) stat(t *testing.T, prefix string, words ...string) float64 {
	t.Helper()
	text, err := s.Get("/stats/prometheus?usedonly")
	if err != nil {
		t.Fatal(err)
	}
	return sum(t, text, prefix, words...)
}

// eventually waits for a condition of another process, for twenty seconds at most.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for !holds() {
		select {
		case <-ctx.Done():
			t.Fatalf("after twenty seconds still not: %s", what)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
