//go:build e2e

package e2e

import (
	"strconv"
	"strings"
	"testing"

	"warmroute/hostsim/internal/gateway"
)

// In a zone of Envoy's node, found by itself, prompts stay with the replicas of that zone, whose localities discovery finds; one
// that is elsewhere serves them only when those are gone.
func TestZones(t *testing.T) {
	t.Parallel()
	f := pool(t)
	opt := options("discovery", f, map[string]any{"cross_zone": "20s"})
	opt.Concurrency = 1 // another worker learns a tick later
	locality := func(zone string, i int) map[string]any {
		host, text, _ := strings.Cut(opt.Replicas[i], ":")
		port, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		return map[string]any{
			"locality": map[string]any{"region": "north", "zone": zone},
			"lb_endpoints": []any{map[string]any{"endpoint": map[string]any{
				"address": map[string]any{"socket_address": map[string]any{"address": host, "port_value": port}},
			}}},
		}
	}
	opt.Edit = func(doc any) {
		doc.(map[string]any)["node"] = map[string]any{"id": "gateway", "cluster": "gateways", "locality": map[string]any{"region": "north", "zone": "north-a"}}
		for _, cluster := range gateway.Find(doc, "load_assignment") {
			if cluster["name"] == "vllm" {
				cluster["load_assignment"].(map[string]any)["endpoints"] = []any{locality("north-b", 0), locality("north-a", 1), locality("north-c", 2)}
			}
		}
	}
	s := inFront(t, opt, f)
	s.steered(t, 3)
	near := f.Replicas[1]
	for i, at := range s.where(t, 12) {
		if at != near.Name() {
			t.Errorf("prompt %d went to %s, in another zone than the gateway", i, at)
		}
	}
	if got := s.stat(t, "warmroute_cross_zone_total"); got != 0 {
		t.Errorf("%v requests are counted as crossing, want 0", got)
	}
	near.Close()
	eventually(t, "another zone's replica answers first, and it is counted", func() bool {
		r := s.post(t, "/v1/chat/completions", chat(story(50), "Where?", nil))
		return r.status == 200 && r.replica != near.Name() && r.decision["cross_zone_s"] == "20" && s.stat(t, "warmroute_cross_zone_total") > 0
	})
	s.asPromised(t)
}
