//go:build e2eistio

package e2e

import (
	"net/http"
	"strings"
	"testing"
)

// TestOtherRoutes: routes of the gateway that the EnvoyFilter does not name are as before: nothing holds their requests,
// so bodies of any size pass, prompts too, and what they ask of the same pods is not steered.
func TestOtherRoutes(t *testing.T) {
	s := shared
	s.apply(t, s.shipped(t, classic.folder, nil))
	s.apply(t, s.shipped(t, "wasmplugin", nil))
	route := object{"destination": object{"host": "vllm.default.svc.cluster.local", "port": object{"number": 8000}}}
	s.apply(t, []object{{"apiVersion": "networking.istio.io/v1", "kind": "VirtualService",
		"metadata": object{"namespace": "default", "name": "other"},
		"spec": object{"hosts": []any{"other.example"}, "gateways": []any{"llm"},
			"http": []any{object{"name": "other", "route": []any{route}}}}}})
	g := s.startGateway(t, classic)
	eventually(t, "requests are steered", func() bool { return g.steers(t) })
	body := strings.Repeat("x", 6<<20)
	for host, want := range map[string]int{"other.example": http.StatusNotFound, "llm.example": http.StatusRequestEntityTooLarge} {
		if r := g.send(t, http.MethodPost, "/upload", body, "host", host); r.status != want {
			t.Errorf("6 MiB to %s: status %d, want %d", host, r.status, want)
		}
	}
	for _, size := range []int{40 << 10, 400 << 10, 6 << 20} {
		body := `{"pad":"` + strings.Repeat("wind ", size/5) + `","model":"warmroute-sim","max_tokens":1,"prompt":"Hello"}`
		for range 12 {
			if r := g.send(t, http.MethodPost, "/v1/completions", body, "host", "other.example"); r.status == http.StatusRequestEntityTooLarge {
				t.Errorf("a prompt behind %d bytes by the other route: status %d", size, r.status)
			}
		}
	}
	at := map[string]int{}
	for range 40 {
		r := g.send(t, http.MethodPost, "/v1/completions", `{"model":"warmroute-sim","max_tokens":1,"prompt":"Hello"}`, "host", "other.example")
		at[r.replica]++
	}
	if len(at) < 2 {
		t.Errorf("a prompt by the other route was answered by %v, want several pods", at)
	}
}
