//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/gateway"
)

const root = "../../"

// client gives up long before the test runner does.
var client = &http.Client{Timeout: 20 * time.Second}

// stack is a pool of replicas with a real Envoy in front.
type stack struct {
	*gateway.Gateway
	fleet *fleet.Fleet
}

// options are those of an example in front of the replicas of f.
func options(example string, f *fleet.Fleet, plugin map[string]any) gateway.Options {
	opt := gateway.Options{
		Envoy: os.Getenv("ENVOY"), Wasm: root + "build/warmroute.wasm",
		Config: root + "examples/envoy/" + example + ".yaml", Plugin: plugin,
	}
	for _, url := range f.URLs() {
		opt.Replicas = append(opt.Replicas, strings.TrimPrefix(url, "http://"))
	}
	return opt
}

// pool starts three replicas that are stopped with the test.
func pool(t *testing.T) *fleet.Fleet {
	t.Helper()
	profile, err := fleet.LoadProfile("h100-8b")
	if err != nil {
		t.Fatal(err)
	}
	f, err := fleet.Start(fleet.Options{N: 3, Profile: profile, Speed: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// launch starts the pool and the Envoy of an example in front of it.
func launch(t *testing.T, example string, change func(*gateway.Options)) *stack {
	t.Helper()
	f := pool(t)
	opt := options(example, f, nil)
	if change != nil {
		change(&opt)
	}
	g, err := gateway.Start(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return &stack{Gateway: g, fleet: f}
}

// reply is what a client saw.
type reply struct {
	status   int
	replica  string
	decision map[string]string // of the response header
	body     string
}

// post sends body and reads the whole answer.
func (s *stack) post(t *testing.T, path, body string, headers ...string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("content-type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	response, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{response.StatusCode, response.Header.Get("x-replica"),
		fields(response.Header.Get("x-warmroute-decision")), string(text)}
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

// chat is a chat completions body; long makes the prompt span many cache blocks.
func chat(system, user string, more map[string]any) string {
	body := map[string]any{
		"model":      fleet.DefaultModel,
		"max_tokens": 4,
		"messages": []map[string]string{
			{"role": "system", "content": system}, {"role": "user", "content": user},
		},
	}
	for name, value := range more {
		body[name] = value
	}
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(body); err != nil {
		panic(err) // strings and numbers encode
	}
	return b.String()
}

// byPrefix makes the decision plain: one prompt's beginning, one replica.
func byPrefix(o *gateway.Options) { o.Plugin = map[string]any{"policy": "prefix_hash"} }

// story is a long text that differs from its first words on for each n.
func story(n int) string {
	return fmt.Sprintf("Story %d begins here. ", n) + strings.Repeat("The river ran past the mill and on to the sea. ", 60)
}

// stat is the sum of all of Envoy's metrics whose Prometheus line begins with prefix.
func (s *stack) stat(t *testing.T, prefix string) float64 {
	t.Helper()
	text, err := s.Get("/stats/prometheus?usedonly")
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, prefix) {
			value, err := strconv.ParseFloat(strings.TrimSpace(line[strings.LastIndexByte(line, ' ')+1:]), 64)
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			sum += value
		}
	}
	return sum
}

// eventually waits for a condition of another process, for ten seconds at most.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for !holds() {
		select {
		case <-ctx.Done():
			t.Fatalf("after ten seconds still not: %s", what)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
