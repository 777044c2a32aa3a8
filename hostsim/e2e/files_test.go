//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"warmroute/hostsim/internal/gateway"
)

// files are those of examples/envoy/xds, as shipped but for ports and paths, in a folder of the test's own.
type files struct {
	folder string
	values []string // of a strings.Replacer
}

// put writes a file and moves it to its place, changed as the example's reader would.
func (f *files) put(t *testing.T, name string, changes ...string) {
	t.Helper()
	text, err := os.ReadFile(root + "examples/envoy/xds/" + name)
	if err != nil {
		t.Fatal(err)
	}
	content := strings.NewReplacer(changes...).Replace(string(text))
	if len(changes) > 0 && content == string(text) {
		t.Fatalf("%s is not changed by %q", name, changes)
	}
	path := filepath.Join(f.folder, name)
	if err := os.WriteFile(path+".new", []byte(strings.NewReplacer(f.values...).Replace(content)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// Replicas come and go and the module's configuration changes, by files alone, under load: each takes effect, and no request
// fails. A bad configuration is refused, and the one before goes on.
func TestFilesAreReadAgain(t *testing.T) {
	t.Parallel()
	f := pool(t)
	dir := t.TempDir()
	x := &files{folder: dir, values: []string{
		"examples/envoy/xds", dir, "build/warmroute.wasm", root + "build/warmroute.wasm", "port_value: 10000", "port_value: " + strconv.Itoa(freePort(t)), "port_value: 9901", "port_value: " + strconv.Itoa(freePort(t)),
		`"policy": "cache_aware"`, `"response_header": "` + gateway.DecisionHeader + `", "policy": "cache_aware"`, `"policy": "prefix_hash"`, `"response_header": "` + gateway.DecisionHeader + `", "policy": "prefix_hash"`,
	}}
	for i, url := range f.URLs() {
		x.values = append(x.values, fmt.Sprint("port_value: ", 8001+i), "port_value: "+url[strings.LastIndexByte(url, ':')+1:])
	}
	const third = "    - endpoint: { address: { socket_address: { address: 127.0.0.1, port_value: 8003 } } }\n"
	const first = "    - endpoint: { address: { socket_address: { address: 127.0.0.1, port_value: 8001 } } }\n"
	x.put(t, "envoy.yaml")
	x.put(t, "lds.yaml")
	x.put(t, "cds.yaml")
	x.put(t, "eds.yaml", third, "")
	g, err := gateway.Start(t.Context(), gateway.Options{
		Envoy: os.Getenv("ENVOY"), Wasm: root + "build/warmroute.wasm", Config: filepath.Join(dir, "envoy.yaml"), Concurrency: 2,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	s := &stack{Gateway: g, fleet: f}

	var (
		asked, failed atomic.Int64
		stop          = make(chan struct{})
		clients       sync.WaitGroup
		mu            sync.Mutex
		seen          map[string]bool // replicas, and policies, since the last forget
	)
	forget := func() {
		mu.Lock()
		defer mu.Unlock()
		seen = map[string]bool{}
	}
	has := func(names ...string) bool {
		mu.Lock()
		defer mu.Unlock()
		return !slices.ContainsFunc(names, func(name string) bool { return !seen[name] })
	}
	forget()
	for c := range 4 {
		clients.Go(func() {
			for n := 0; ; n++ { // always another story: what is cached elsewhere would not come to a new replica
				select {
				case <-stop:
					return
				default:
				}
				r := s.post(t, "/v1/chat/completions", chat(story(100_000*c+n), "And then?", map[string]any{"max_tokens": 2}))
				asked.Add(1)
				if r.status != 200 {
					failed.Add(1)
					t.Errorf("status %d by %v", r.status, r.decision)
				}
				mu.Lock()
				seen[r.header.Get("x-replica")], seen[r.decision["policy"]] = true, true
				mu.Unlock()
			}
		})
	}
	defer func() { close(stop); clients.Wait() }()

	eventually(t, "the module routes to both replicas", func() bool { return has("replica-0", "replica-1", "cache_aware") })
	if has("replica-2") {
		t.Error("a replica that is in no file is used")
	}
	x.put(t, "eds.yaml")
	eventually(t, "the third replica is used", func() bool { return has("replica-2") })
	x.put(t, "lds.yaml", `"policy": "cache_aware"`, `"policy": "prefix_hash"`)
	eventually(t, "the new policy routes", func() bool { return has("prefix_hash") })
	x.put(t, "lds.yaml", `"policy": "cache_aware"`, `"policy": "no_such"`)
	eventually(t, "Envoy's log names the field", func() bool { return strings.Contains(g.Log(), "no_such") })
	x.put(t, "eds.yaml", first, "")
	eventually(t, "the first replica is left", func() bool {
		forget()
		before := asked.Load()
		eventually(t, "more requests are answered", func() bool { return asked.Load() >= before+40 })
		return has("replica-1", "replica-2") && !has("replica-0")
	})
	if !has("prefix_hash") { // connections from before go on with the policy before, until Envoy has drained them
		t.Error("after a bad file the policy of the last good one does not route")
	}
	t.Logf("%d requests, %d failed", asked.Load(), failed.Load())
}
