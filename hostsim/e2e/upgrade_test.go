//go:build e2e

package e2e

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/gateway"
)

// otherModule is a module of other bytes than the shipped one, which Envoy runs in a VM of its own: the one that WARMROUTE_WASM_OTHER
// names, or the shipped one with a section that means nothing.
func otherModule(t *testing.T) string {
	if other := os.Getenv("WARMROUTE_WASM_OTHER"); other != "" {
		return other
	}
	text, err := os.ReadFile(cmp.Or(os.Getenv("WARMROUTE_WASM"), root+"build/warmroute.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "other.wasm")
	if err := os.WriteFile(file, append(text, 0, 6, 5, 'o', 't', 'h', 'e', 'r'), 0o600); err != nil { // a custom section
		t.Fatal(err)
	}
	return file
}

// The module is replaced by another build under load, and put back: no request is lost, conversations go on where they are cached,
// and requests are counted. (Counters go on, but for one that the new module has not counted yet when the old one ends: that begins anew, as at a
// restart.)
func TestModuleIsReplaced(t *testing.T) {
	t.Parallel()
	const stories, clients = 48, 6
	f := poolOf(t, 8)
	opt := options("endpoint", f, nil)
	opt.Concurrency = 2
	filter := &filterFile{file: filepath.Join(t.TempDir(), "filter.json")}
	opt.Edit = func(doc any) { filter.serve(doc); filter.write(t, false) }
	s := inFront(t, opt, f)
	s.where(t, stories)
	load := underLoad(t, clients, func(n int) reply {
		return s.post(t, "/v1/chat/completions", chat(story(n%stories), fmt.Sprint("Turn ", n), nil))
	})
	for _, wasm := range []string{otherModule(t), opt.Wasm} {
		counted := s.total(t, "requests_total")
		for _, at := range gateway.Find(filter.typed, "local") {
			at["local"].(map[string]any)["filename"] = wasm
		}
		done := s.ecds(t, "config_reload")
		filter.publish(t)
		eventually(t, "Envoy has taken the other module", func() bool { return s.ecds(t, "config_reload") > done })
		from, found := load.sent.Load(), load.matched.Load()
		time.Sleep(time.Second)
		after, n, k := s.total(t, "requests_total"), load.sent.Load()-from, load.matched.Load()-found
		t.Logf("%s: of %d requests after it %d went where they match; %.0f counted before, %.0f after", filepath.Base(wasm), n, k, counted, after)
		if os.Getenv("WARMROUTE_WASM_OTHER") == "" && (k < n*8/10 || after < float64(n)*0.8) {
			t.Errorf("%s: of %d requests %d go where they match; %.0f counted before, %.0f after", filepath.Base(wasm), n, k, counted, after)
		}
	}
	load.end(t)
	s.noTrap(t)
}

// Requests that wait for room when the filter's configuration, and then its module, are replaced go once there is room, as a whole.
func TestModuleIsReplacedWhileRequestsWait(t *testing.T) {
	t.Parallel()
	filter := &filterFile{file: filepath.Join(t.TempDir(), "filter.json")}
	s, usage, crowd := launchScarce(t, "endpoint", func(doc any) { filter.serve(doc); filter.write(t, false) })
	crowd()
	waiting := func() float64 { return s.stat(t, "warmroute_held{") }
	var sent []string
	answers := make(chan string, 100)
	eventually(t, "three requests wait", func() bool {
		if waiting() < 3 {
			body := chat(story(1000+len(sent)), "Hello.", streamed)
			sent = append(sent, whole(body))
			go func() {
				response, err := http.Post(s.URL+"/v1/chat/completions", "application/json", strings.NewReader(body))
				if err != nil {
					answers <- err.Error()
					return
				}
				io.Copy(io.Discard, response.Body)
				response.Body.Close()
				answers <- response.Header.Get("x-received")
			}()
		}
		return waiting() >= 3
	})
	for _, replace := range []func(){
		func() { filter.write(t, false) },
		func() {
			for _, at := range gateway.Find(filter.typed, "local") {
				at["local"].(map[string]any)["filename"] = otherModule(t)
			}
			filter.publish(t)
		},
	} {
		done := s.ecds(t, "config_reload")
		replace()
		eventually(t, "Envoy has taken the update", func() bool { return s.ecds(t, "config_reload") > done })
	}
	usage.Store(5)
	for range sent {
		select {
		case got := <-answers:
			if !slices.Contains(sent, got) {
				t.Errorf("a replica received %q, or nothing", got)
			}
		case <-time.After(15 * time.Second):
			t.Fatal("a request that waited has no answer")
		}
	}
	eventually(t, "nobody waits", func() bool { return waiting() == 0 })
	s.atRest(t)
}
