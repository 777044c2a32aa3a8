//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/gateway"
)

// filterFile serves an Envoy the module's filter from a file (ECDS).
type filterFile struct {
	file   string
	typed  map[string]any
	number int
}

// serve takes the filter's configuration out of the document.
func (f *filterFile) serve(doc any) {
	for _, filter := range gateway.Find(doc, "typed_config") {
		if filter["name"] != "warmroute" {
			continue
		}
		f.typed = filter["typed_config"].(map[string]any)
		delete(filter, "typed_config")
		filter["config_discovery"] = map[string]any{
			"type_urls": []any{f.typed["@type"]},
			"config_source": map[string]any{"resource_api_version": "V3", "path_config_source": map[string]any{
				"path": f.file, "watched_directory": map[string]any{"path": filepath.Dir(f.file)}}},
		}
	}
}

// write writes the configuration, changed in a way that makes no difference; bad: one that the module refuses.
func (f *filterFile) write(t *testing.T, bad bool) {
	t.Helper()
	for _, at := range gateway.Find(f.typed, "configuration") {
		value := at["configuration"].(map[string]any)
		var plugin map[string]any
		if err := json.Unmarshal([]byte(value["value"].(string)), &plugin); err != nil {
			t.Fatal(err)
		}
		if plugin["cache_aware"] = map[string]any{"affinity": 1 + float64(f.number+1)/1e6}; bad {
			plugin["cache_aware"] = map[string]any{"affinity": -1}
		}
		text, err := json.Marshal(plugin)
		if err != nil {
			t.Fatal(err)
		}
		value["value"] = string(text)
	}
	f.publish(t)
}

// publish writes the configuration as it is.
func (f *filterFile) publish(t *testing.T) {
	t.Helper()
	f.number++
	text, err := json.Marshal(map[string]any{"version_info": fmt.Sprint(f.number), "resources": []any{map[string]any{
		"@type": "type.googleapis.com/envoy.config.core.v3.TypedExtensionConfig", "name": "warmroute", "typed_config": f.typed}}})
	if err == nil {
		err = os.WriteFile(f.file+".new", text, 0o600)
	}
	if err == nil {
		err = os.Rename(f.file+".new", f.file)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The filter's configuration is changed under load, by ECDS, to good ones and to bad ones: no request is lost, and a bad one
// changes nothing.
func TestFilterIsUpdated(t *testing.T) {
	f := &filterFile{file: filepath.Join(t.TempDir(), "filter.json")}
	s, _ := launchReplicas(t, "endpoint", 3, false, func(o *gateway.Options) {
		o.Edit = func(doc any) { f.serve(doc); f.write(t, false) }
	})
	l := s.start(t, 8, 2*time.Millisecond)
	for n := range 12 {
		bad := n%4 == 3
		counter := "config_reload"
		if bad {
			counter = "config_fail"
		}
		done := s.ecds(t, counter)
		f.write(t, bad)
		eventually(t, "Envoy has read the update", func() bool { return s.ecds(t, counter) > done })
		time.Sleep(100 * time.Millisecond)
	}
	l.end()
	if lost, sent, why := l.lost(); lost > 0 {
		t.Errorf("%d of %d requests were lost: %v", lost, sent, why)
	}
	if d := s.post(t, "/v1/chat/completions", chat(story(1), "Still routed?", nil)).decision; d["endpoint"] == "" {
		t.Errorf("after the updates a request is not routed: %v", d)
	}
	eventually(t, "nothing is in flight at rest", func() bool { return s.stat(t, "warmroute_in_flight") == 0 })
	s.noTrap(t)
}

// ecds is a counter of Envoy's for its filters from files.
func (s *stack) ecds(t *testing.T, counter string) float64 {
	text, err := s.Get("/stats?filter=extension_config_discovery.*" + counter)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for line := range strings.Lines(text) {
		var n float64
		fmt.Sscan(line[strings.LastIndexByte(line, ' ')+1:], &n)
		sum += n
	}
	return sum
}

// A second Envoy takes over from the first under load: no request is lost, and once the first has gone, what is in flight is
// counted right.
func TestHotRestart(t *testing.T) {
	port, base := freePort(t), filepath.Join(t.TempDir(), "base")
	var opt gateway.Options
	first, _ := launchReplicas(t, "endpoint", 3, false, func(o *gateway.Options) {
		edit := func(doc any) {
			for _, listener := range gateway.Find(doc, "filter_chains") {
				listener["address"].(map[string]any)["socket_address"].(map[string]any)["port_value"] = port
			}
		}
		o.HotRestart, o.Edit = true, edit
		o.Args = []string{"--use-dynamic-base-id", "--base-id-path", base, "--drain-time-s", "2", "--parent-shutdown-time-s", "3"}
		opt = *o
	})
	l := first.start(t, 8, 2*time.Millisecond, func(l *load) { l.single = true })
	id, err := os.ReadFile(base)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	opt.Args = []string{"--base-id", strings.TrimSpace(string(id)), "--restart-epoch", "1", "--drain-time-s", "2", "--parent-shutdown-time-s", "3"}
	g, err := gateway.Start(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	second := &stack{Gateway: g}
	eventually(t, "the first has gone", func() bool { _, err := first.Get("/ready"); return err != nil })
	time.Sleep(300 * time.Millisecond)
	l.end()
	if lost, sent, why := l.lost(); lost > 0 {
		t.Errorf("%d of %d requests were lost: %v", lost, sent, why)
	}
	eventually(t, "the second has routed something", func() bool { return second.stat(t, "warmroute_requests_total") > 0 })
	eventually(t, "nothing is in flight at rest", func() bool { return second.stat(t, "warmroute_in_flight") == 0 })
	first.noTrap(t)
	second.noTrap(t)
}
