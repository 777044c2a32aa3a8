//go:build e2eclients

package e2eclients

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/gateway"
	"warmroute/hostsim/internal/vllm"
)

const root, model = "../../", "orchard-8b-instruct"

// Every API of the official packages works through the gateway, whole and streamed: the second turn of a conversation goes to
// the replica of the first and finds its prompt cached there, and what has no prompt is answered as well.
func TestOfficialPackages(t *testing.T) {
	profile, err := vllm.LoadProfile("h100-8b")
	if err != nil {
		t.Fatal(err)
	}
	f, err := fleet.Start(fleet.Options{N: 3, Profile: profile, Model: model, Speed: 20})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var replicas []string
	for _, url := range f.URLs() {
		replicas = append(replicas, strings.TrimPrefix(url, "http://"))
	}
	g, err := gateway.Start(t.Context(), gateway.Options{
		Envoy: os.Getenv("ENVOY"), Wasm: root + "build/warmroute.wasm", Config: root + "examples/envoy/endpoint.yaml", Replicas: replicas,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()

	python := exec.CommandContext(t.Context(), os.Getenv("CLIENTS_PYTHON"), "clients.py", g.URL, model)
	var complaints bytes.Buffer
	python.Stderr = &complaints
	out, err := python.Output()
	if err != nil {
		t.Fatalf("%v after\n%s\n%s", err, out, &complaints)
	}
	type line struct {
		Name, Replica, Decision, Text string
		Prompt, Cached                int
	}
	said := map[string]line{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatalf("%v in %s", err, lines.Text())
		}
		t.Logf("%s", lines.Text())
		said[l.Name] = l
	}
	for _, api := range []string{"completion", "chat", "response", "message"} {
		for _, how := range []string{"", " stream"} {
			first, second := said[api+how+", first turn"], said[api+how+", second turn"]
			switch {
			case len(first.Text) != 48 || len(second.Text) != 48:
				t.Errorf("%s%s: answers of %d and %d bytes, want 12 tokens, 48 bytes", api, how, len(first.Text), len(second.Text))
			case first.Replica == "" || second.Replica != first.Replica:
				t.Errorf("%s%s: answered by %q, then by %q", api, how, first.Replica, second.Replica)
			case !strings.Contains(second.Decision, "reason=match"):
				t.Errorf("%s%s: the second turn was decided by %q, want a match", api, how, second.Decision)
			case first.Prompt < 400 || second.Cached < first.Prompt*9/10:
				t.Errorf("%s%s: of a conversation of %d tokens, %d were cached in the second turn", api, how, first.Prompt, second.Cached)
			}
		}
	}
	for _, name := range []string{"embeddings float", "embeddings", "models", "count_tokens"} {
		if l, ok := said[name]; !ok || l.Replica == "" {
			t.Errorf("%s: got %+v", name, l)
		}
	}
	if l := said["embeddings"]; !strings.Contains(l.Decision, "by_load") {
		t.Errorf("embeddings were decided by %q, want by_load", l.Decision)
	}
	// The module has read of each answer what was cached.
	cached, counted := 0, 0
	for _, l := range said {
		cached += l.Cached
	}
	var page string
	for range 100 { // the workers tell it at their next ticks
		if counted, page = cachedTokens(t, g); counted == cached {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if counted != cached || cached == 0 {
		t.Errorf("clients were told of %d cached tokens; the module counts %d:\n%s", cached, counted, page)
	}
}

// cachedTokens is what the module has counted so far, and the page that says so.
func cachedTokens(t *testing.T, g *gateway.Gateway) (counted int, page string) {
	t.Helper()
	page, err := g.Get("/stats/prometheus?filter=warmroute_cached_tokens_total")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(page) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "} "); ok && strings.HasPrefix(name, "warmroute_cached_tokens_total{") {
			n, err := strconv.Atoi(value)
			if err != nil {
				t.Fatal(err)
			}
			counted += n
		}
	}
	return counted, page
}
