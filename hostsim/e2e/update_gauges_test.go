//go:build e2e

package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/gateway"
)

// shown are the metrics with one of these names that speak of an endpoint and are not 0.
func (s *stack) shown(t *testing.T, address string, names ...string) (lines []string) {
	t.Helper()
	text, err := s.Get("/stats/prometheus")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text) {
		name, labels, _ := strings.Cut(strings.TrimSpace(line), "{")
		if slices.Contains(names, name) && strings.Contains(labels, address) && !strings.HasSuffix(labels, " 0") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// An endpoint is down and is taken out of the configuration by an update of the listener, after which Envoy keeps the former contexts until
// its drain time is over. Once they stand by nothing shows the endpoint as down, or its metrics as old: alerts would go on for ever.
func TestFormerConfigurationShowsNothing(t *testing.T) {
	t.Parallel()
	l := &listeners{file: filepath.Join(t.TempDir(), "lds.json")}
	s, list := launchReplicas(t, "endpoint", 3, false, func(o *gateway.Options) { o.Edit = func(doc any) { l.serve(t, doc) } })
	const down = "warmroute_endpoint_down_since_timestamp_seconds"
	load := s.start(t, 4, 20*time.Millisecond, func(l *load) { l.single, l.fresh = true, true })
	bad := list[2].address
	eventually(t, "its metrics are read", func() bool { return len(s.shown(t, bad, "warmroute_last_scrape_timestamp_seconds")) > 0 })
	list[2].kill()
	eventually(t, "it is shown to be down", func() bool { return len(s.shown(t, bad, down)) > 0 })
	l.configure(t, map[string]any{"endpoints": []any{list[0].address, list[1].address}})
	within(t, 30*time.Second, "nothing is shown of it", func() bool {
		return len(s.shown(t, bad, down, "warmroute_last_scrape_timestamp_seconds", "warmroute_in_flight", "warmroute_waiting_prefill_tokens")) == 0
	})
	load.end()
	s.noTrap(t)
}
