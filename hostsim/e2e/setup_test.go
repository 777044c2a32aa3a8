//go:build e2e

package e2e

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/gateway"
	"warmroute/hostsim/internal/vllm"
)

const root = "../../"

// client gives up long before the test runner does.
var client = &http.Client{Timeout: 20 * time.Second}

// stack is a pool of replicas with a real Envoy in front.
type stack struct {
	balanced atomic.Int64 // requests that a mesh's balancer has given it, under way
	*gateway.Gateway
	fleet *fleet.Fleet
}

// options are those of an example in front of the replicas of f.
func options(example string, f *fleet.Fleet, plugin map[string]any) gateway.Options {
	opt := gateway.Options{
		Envoy: os.Getenv("ENVOY"), Wasm: cmp.Or(os.Getenv("WARMROUTE_WASM"), root+"build/warmroute.wasm"), // or another to compare with
		Config: root + "examples/envoy/" + example + ".yaml", Plugin: plugin,
	}
	if len(f.Replicas) == 0 { // the test's own know nothing of metrics
		opt.Plugin = map[string]any{"scrape": map[string]any{"path": ""}}
		maps.Copy(opt.Plugin, plugin)
	}
	for _, url := range f.URLs() {
		opt.Replicas = append(opt.Replicas, strings.TrimPrefix(url, "http://"))
	}
	return opt
}

// pool starts three replicas that are stopped with the test.
func pool(t testing.TB) *fleet.Fleet { return poolOf(t, 4) }

// poolOf does so with replicas of another speed; 1 is that of the profile.
func poolOf(t testing.TB, speed float64) *fleet.Fleet {
	t.Helper()
	f, err := fleet.Start(fleet.Options{N: 3, Profile: profile(t), Speed: speed})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// profile is that of the pool's replicas.
func profile(t testing.TB) vllm.Profile {
	t.Helper()
	p, err := vllm.LoadProfile("h100-8b")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// launch starts the pool and the Envoy of an example in front of it.
func launch(t *testing.T, example string, change func(*gateway.Options)) *stack {
	t.Helper()
	f := pool(t)
	opt := options(example, f, nil)
	if change != nil {
		change(&opt)
	}
	return inFront(t, opt, f)
}

// inFront starts an Envoy in front of a pool.
func inFront(t *testing.T, opt gateway.Options, f *fleet.Fleet) *stack {
	t.Helper()
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
	header   http.Header
}

// post sends body and reads the whole answer.
func (s *stack) post(t testing.TB, path, body string, headers ...string) reply {
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
	return read(t, response)
}

// read reads the whole answer.
func read(t testing.TB, response *http.Response) reply {
	t.Helper()
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{response.StatusCode, response.Header.Get("x-replica"),
		fields(response.Header.Get("x-warmroute-decision")), string(text), response.Header}
}

// parts sends a request to path over a connection of its own, with a pause before each part of its body but the first,
// and reads the whole answer. It may come before the body has gone.
func (s *stack) parts(t *testing.T, path string, pause time.Duration, parts ...string) reply {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nhost: h\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n",
		path, len(strings.Join(parts, "")))
	for i, part := range parts {
		if i > 0 {
			time.Sleep(pause)
		}
		if _, err := io.WriteString(conn, part); err != nil {
			break // the answer says why
		}
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, response)
}

// sink is a replica that says what it received.
func sink(w http.ResponseWriter, r *http.Request) {
	receive(w, r)
	io.WriteString(w, "{}")
}

// receive reads a body, and says in the response's headers how long it is and what it hashes to.
func receive(w http.ResponseWriter, r *http.Request) (n int64, digest string) {
	sum := sha256.New()
	n, _ = io.Copy(sum, r.Body) // a short body fails the test
	digest = fmt.Sprintf("%x", sum.Sum(nil))
	w.Header().Set("content-type", "application/json")
	w.Header().Set("x-received", fmt.Sprintf("%d %s", n, digest))
	return n, digest
}

// whole is what a sink says of body.
func whole(body string) string { return fmt.Sprintf("%d %x", len(body), sha256.Sum256([]byte(body))) }

// launchSinks starts the Envoy of an example in front of three sinks.
func launchSinks(t *testing.T, example string, plugin map[string]any, edits ...func(doc any)) (*stack, []*httptest.Server) {
	t.Helper()
	opt := options(example, &fleet.Fleet{}, plugin)
	if len(edits) > 0 {
		opt.Edit = edits[0]
	}
	return launchBefore(t, opt, http.HandlerFunc(sink))
}

// launchBefore starts an Envoy in front of three servers that answer with replica.
func launchBefore(t *testing.T, opt gateway.Options, replica http.Handler) (*stack, []*httptest.Server) {
	t.Helper()
	var servers []*httptest.Server
	for range 3 {
		server := httptest.NewServer(replica)
		t.Cleanup(server.Close)
		servers = append(servers, server)
		opt.Replicas = append(opt.Replicas, strings.TrimPrefix(server.URL, "http://"))
	}
	g, err := gateway.Start(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return &stack{Gateway: g}, servers
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

// streamed is more of a chat: its answer is to be streamed.
var streamed = map[string]any{"stream": true}

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
func (s *stack) stat(t testing.TB, prefix string) float64 {
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

// eventually waits for a condition of another process, for half a minute at most.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for !holds() {
		select {
		case <-ctx.Done():
			t.Fatalf("after half a minute still not: %s", what)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
