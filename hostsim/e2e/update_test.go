//go:build e2e

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/gateway"
)

// listeners serves an Envoy its listeners from a file, as a control plane would: each write is an update.
type listeners struct {
	file   string
	parts  []any
	number int
}

// serve takes the listeners out of the configuration and lets Envoy read them from the file.
func (l *listeners) serve(t *testing.T, doc any) {
	t.Helper()
	static := gateway.Find(doc, "static_resources")[0]["static_resources"].(map[string]any)
	l.parts = static["listeners"].([]any)
	delete(static, "listeners")
	for _, part := range l.parts {
		address := part.(map[string]any)["address"].(map[string]any)["socket_address"].(map[string]any)
		address["port_value"] = freePort(t)
		part.(map[string]any)["name"] = "main"
	}
	doc.(map[string]any)["dynamic_resources"] = map[string]any{"lds_config": map[string]any{
		"resource_api_version": "V3",
		"path_config_source":   map[string]any{"path": l.file, "watched_directory": map[string]any{"path": filepath.Dir(l.file)}},
	}}
	l.write(t)
}

func freePort(t testing.TB) int {
	t.Helper()
	port, err := gateway.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// update changes the module's configuration in a way that makes no difference.
func (l *listeners) update(t *testing.T) {
	t.Helper()
	l.configure(t, map[string]any{"cache_aware": map[string]any{"affinity": 1 + float64(l.number+1)/1e6}})
}

// configure sets members of the module's configuration.
func (l *listeners) configure(t *testing.T, members map[string]any) {
	t.Helper()
	l.number++
	for _, filter := range gateway.Find(l.parts, "configuration") {
		value := filter["configuration"].(map[string]any)
		var plugin map[string]any
		if err := json.Unmarshal([]byte(value["value"].(string)), &plugin); err != nil {
			t.Fatal(err)
		}
		maps.Copy(plugin, members)
		value["value"] = toJSON(t, plugin)
	}
	l.write(t)
}

func (l *listeners) write(t *testing.T) {
	t.Helper()
	resources := []any{}
	for _, part := range l.parts {
		with := map[string]any{"@type": "type.googleapis.com/envoy.config.listener.v3.Listener"}
		for name, value := range part.(map[string]any) {
			with[name] = value
		}
		resources = append(resources, with)
	}
	text, err := json.Marshal(map[string]any{"version_info": strconv.Itoa(l.number), "resources": resources})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(l.file+".new", text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(l.file+".new", l.file); err != nil {
		t.Fatal(err)
	}
}

// taken is the memory and the CPU time of a process: bytes, and seconds so far.
func taken(t testing.TB, pid int) (rss int, cpu float64) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')'):]))
	user, _ := strconv.Atoi(fields[12])
	system, _ := strconv.Atoi(fields[13])
	pages, _ := strconv.Atoi(fields[22])
	return pages * os.Getpagesize(), float64(user+system) / 100
}

// After many changes of its configuration, with Envoy's drain time of ten minutes, the module costs what it did: the contexts
// of former configurations stand by, workers go on sharing, and what is in flight is counted.
func TestConfigurationUpdates(t *testing.T) {
	t.Parallel()
	updates := 60
	if n, err := strconv.Atoi(os.Getenv("WARMROUTE_UPDATES")); err == nil {
		updates = n
	}
	f, err := fleet.Start(fleet.Options{N: 3, Profile: profile(t), Speed: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	l := &listeners{file: filepath.Join(t.TempDir(), "lds.json")}
	opt := options("endpoint", f, nil)
	opt.Concurrency = 2
	opt.Edit = func(doc any) { l.serve(t, doc) }
	s := inFront(t, opt, f)
	client := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	ask := func(n int, more map[string]any) *http.Response {
		response, err := client.Post(s.URL+"/v1/chat/completions", "application/json", strings.NewReader(chat(story(n%8), fmt.Sprint("Question ", n), more)))
		if err != nil {
			t.Fatal(err)
		}
		return response
	}
	bad, asked := 0, 0
	some := func(n int) {
		for range n {
			response := ask(asked, nil)
			asked++
			if r := read(t, response); r.status != 200 {
				bad++
			}
		}
	}
	idle := func() (share float64) {
		_, before := taken(t, s.Pid())
		time.Sleep(5 * time.Second)
		_, after := taken(t, s.Pid())
		return (after - before) / 5
	}
	some(20)
	memory, _ := taken(t, s.Pid())
	quiet := idle()
	for range updates {
		done := s.stat(t, "envoy_listener_manager_lds_update_success")
		l.update(t)
		eventually(t, "Envoy has taken the update", func() bool { return s.stat(t, "envoy_listener_manager_lds_update_success") > done })
		some(4)
	}
	var open []*http.Response
	for n := range 20 {
		response := ask(n, map[string]any{"stream": true, "max_tokens": 4000})
		if _, err := bufio.NewReader(response.Body).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		open = append(open, response)
	}
	eventually(t, "20 requests are shown in flight", func() bool { return s.stat(t, "warmroute_in_flight") == 20 })
	for _, response := range open {
		response.Body.Close()
	}
	eventually(t, "nothing is in flight at rest", func() bool { return s.stat(t, "warmroute_in_flight") == 0 })
	time.Sleep(11 * time.Second) // the last of them stands by
	some(12)
	late := idle()
	now, _ := taken(t, s.Pid())
	t.Logf("%d updates, %d requests, %d bad: CPU at rest %.1f %% before, %.1f %% after; memory %d MB before, %d MB after",
		updates, asked, bad, 100*quiet, 100*late, memory>>20, now>>20)
	if bad > 0 {
		t.Errorf("%d requests were not answered 200", bad)
	}
	if share := int(s.stat(t, "warmroute_in_flight")); share != 0 {
		t.Errorf("%d in flight at rest", share)
	}
	if now > memory+128<<20 {
		t.Errorf("Envoy takes %d MB, %d MB before the updates", now>>20, memory>>20)
	}
	if late > quiet+0.04 {
		t.Errorf("at rest Envoy takes %.1f %% of a CPU, %.1f %% before the updates", 100*late, 100*quiet)
	}
}
