//go:build e2eistio

package e2e

import (
	"fmt"
	"net/http"
	"testing"
)

// TestPools: several Services behind one gateway, found by the cluster's pattern or by the body's model; and one that comes
// later, with nothing but its Service and route.
func TestPools(t *testing.T) {
	s := shared
	s.apply(t, s.shipped(t, classic.folder, nil))
	eventually(t, "the StatefulSet's three pods have endpoints", func() bool { return s.podCount(t) == 3 })
	s.apply(t, s.shipped(t, "pools", nil))
	g := s.startGateway(t, classic)
	body := func(model string, n int) string {
		return fmt.Sprintf(`{"model":%q,"max_tokens":1,"prompt":"%s"}`, model, story(n))
	}
	for _, c := range []struct {
		path, model, pool string
		at                string // "": any pod
		status            int
	}{
		{"/v1/completions", "warmroute-sim", "vllm", "", http.StatusOK},
		{"/batch/v1/completions", "warmroute-sim", "vllm-batch", "replica-2", http.StatusOK},
		{"/v1/completions", "sql-2", "sql", "replica-1", http.StatusNotFound}, // the simulated replicas have no such model
	} {
		eventually(t, c.path+" of "+c.model+" is steered in its pool", func() bool {
			return g.send(t, http.MethodPost, c.path, body(c.model, 0)).decision["pool"] == c.pool
		})
		home := map[string]string{}
		for n := range 24 {
			r := g.send(t, http.MethodPost, c.path, body(c.model, n%6))
			if r.status != c.status || r.decision["pool"] != c.pool || c.at != "" && r.replica != c.at {
				t.Errorf("%s of %s: status %d from %s, %v", c.path, c.model, r.status, r.replica, r.decision)
			}
			story := fmt.Sprint(n % 6)
			if c.status == http.StatusOK && home[story] != "" && home[story] != r.replica {
				t.Errorf("%s: story %s at %s after %s", c.pool, story, r.replica, home[story])
			}
			home[story] = r.replica
		}
	}
	route := object{"destination": object{"host": "late.default.svc.cluster.local", "port": object{"number": 8000}}}
	s.apply(t, []object{
		{"apiVersion": "v1", "kind": "Service", "metadata": object{"namespace": "default", "name": "late"},
			"spec": object{"clusterIP": "None", "selector": object{"statefulset.kubernetes.io/pod-name": "vllm-0"},
				"ports": []any{object{"name": "http", "port": 8000, "targetPort": "http"}}}},
		{"apiVersion": "networking.istio.io/v1", "kind": "VirtualService", "metadata": object{"namespace": "default", "name": "late"},
			"spec": object{"hosts": []any{"late.example"}, "gateways": []any{"llm"}, "http": []any{object{"name": "late", "route": []any{route}}}}},
	})
	eventually(t, "a Service that came later is a pool", func() bool {
		r := g.send(t, http.MethodPost, "/v1/completions", body("warmroute-sim", 1), "host", "late.example")
		return r.decision["pool"] == "late" && r.replica == "replica-0"
	})
	if r := g.send(t, http.MethodPost, "/v1/completions", body("warmroute-sim", 1), "x-warmroute-cluster", "outbound|8000||vllm-sql.default.svc.cluster.local"); r.decision["pool"] != "vllm" {
		t.Errorf("a client that names a pool's cluster: %v", r.decision)
	}
}
