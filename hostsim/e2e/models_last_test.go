//go:build e2e

package e2e

import (
	"strings"
	"testing"
	"time"
)

// Clients that write the messages before the model reach their model's pool, with pictures that are longer than scan_bytes, and where an
// upload pauses for longer than decide_timeout. What is longer than the proxy holds does not, and is counted.
func TestModelsComeLast(t *testing.T) {
	s, _ := front(t, services, nil)
	s.ready(t, services)
	body := func(model string, bytes int) string {
		image := `{"type":"image_url","image_url":{"url":"data:image/png;base64,` + strings.Repeat("iVBORw0KGgoA", bytes/12) + `"}}`
		return `{"messages":[{"role":"user","content":[{"type":"text","text":"What is this?"},` + image + `]}],"max_tokens":2,"model":"` + model + `"}`
	}
	for _, to := range services {
		if to.path != "" || to.cluster == "rest" {
			continue
		}
		for _, bytes := range []int{2_200_000, 3 << 20, 4_080_000} {
			if r := s.post(t, "/v1/chat/completions", body(to.model, bytes)); r.status != 200 || r.decision["pool"] != to.cluster {
				t.Errorf("%s, %d bytes: status %d, pool %q", to.cluster, bytes, r.status, r.decision["pool"])
			}
		}
		text := body(to.model, 60_000)
		if r := s.parts(t, "/v1/chat/completions", 1200*time.Millisecond, text[:4000], text[4000:]); r.status != 200 {
			t.Errorf("%s, an upload that pauses: status %d", to.cluster, r.status)
		}
	}
	if n := s.stat(t, "warmroute_late_model_total"); n != 0 {
		t.Errorf("%v requests went on without their model", n)
	}
	if r := s.post(t, "/v1/chat/completions", body("orchard-8b", 5<<20)); r.status != 404 || r.decision["why"] != "no_model" {
		t.Errorf("a longer body: status %d, decided %v, want 404 and no_model", r.status, r.decision)
	}
	eventually(t, "it is counted", func() bool { return s.stat(t, "warmroute_late_model_total") == 1 })
}
