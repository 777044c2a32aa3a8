//go:build e2eistio

package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// variant is a folder of istio/, applied as shipped in front of the vLLM example.
type variant struct {
	folder string
	style  style
	held   bool // until decided by a buffer filter, which has a limit of 4 MiB
	keyed  bool // warmroute gives a key, and Envoy chooses
}

var variants = []variant{
	{folder: "wasmplugin", style: classic, held: true},
	{folder: "envoyfilter", style: classic},
	{folder: "subsets", style: classic},
	{folder: "consistent-hash", style: classic, held: true, keyed: true},
	{folder: "gateway-api", style: gatewayAPI, held: true},
	{folder: "inferencepool", style: gatewayAPI, held: true},
}

// steeringHeaders are those that a client might forge.
var steeringHeaders = []string{"x-gateway-destination-endpoint", "x-warmroute-cluster", "x-warmroute-key"}

func TestVariants(t *testing.T) {
	for _, v := range variants {
		t.Run(v.folder, func(t *testing.T) {
			s := shared
			s.apply(t, s.shipped(t, v.style.folder, nil))
			eventually(t, "the StatefulSet's three pods have endpoints", func() bool { return s.podCount(t) == 3 })
			docs := s.shipped(t, v.folder, nil)
			s.apply(t, docs)
			began := time.Now()
			g := s.startGateway(t, v.style)
			eventually(t, "the module has come by ECDS, and steers", func() bool {
				return len(g.modules(t)) == 1 && g.steers(t)
			})
			t.Logf("gateway started, module pulled and steering after %.1f s; %s", time.Since(began).Seconds(), g.agent.memory())

			t.Run("affinity", func(t *testing.T) { affinity(t, g, v.keyed) })
			t.Run("forged headers", func(t *testing.T) { forged(t, g) })
			t.Run("metrics", func(t *testing.T) { metrics(t, g, v.keyed) })
			t.Run("bodies", func(t *testing.T) { bodies(t, g, v.held) })
			t.Run("scale up", func(t *testing.T) { scaleUp(t, s, g) })
			t.Run("scale down", func(t *testing.T) { scaleDown(t, s, g) })
			t.Run("edit", func(t *testing.T) { edit(t, s, g, docs) })
		})
	}
}

// story is a system prompt of many cache blocks that no other n shares.
func story(n int) string {
	return fmt.Sprintf("Story %d begins here. ", n) + strings.Repeat(fmt.Sprintf("The river ran past mill %d and on to the sea. ", n), 60)
}

// steers says whether the module has routed a request by now.
func (g *gateway) steers(t *testing.T) bool {
	r := g.ask(t, story(0), "Hello")
	return r.status == http.StatusOK && (r.decision["endpoint"] != "" || r.decision["reason"] == "key")
}

func (s *stack) podCount(t *testing.T) int {
	t.Helper()
	list, err := s.kube.list("/api/v1/namespaces/default/pods?labelSelector=app%3Dvllm")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// affinity: what begins alike is answered by one pod, and all pods are used.
func affinity(t *testing.T, g *gateway, keyed bool) {
	used := map[string]int{}
	for n := range 12 {
		at := map[string]int{}
		for turn := range 4 {
			r := g.ask(t, story(n), fmt.Sprintf("Question %d", turn))
			if r.status != http.StatusOK {
				t.Fatalf("status %d: %s", r.status, r.body)
			}
			if host := podOf(r.decision["endpoint"]); !keyed && host != r.replica {
				t.Errorf("answered by %s, decided for %s (%v)", r.replica, host, r.decision)
			}
			at[r.replica]++
			used[r.replica]++
		}
		if len(at) != 1 {
			t.Errorf("story %d was answered by %v, want one pod", n, at)
		}
	}
	if len(used) != 3 {
		t.Errorf("the pods used are %v, want all three", used)
	}
}

// podOf is the simulated replica behind an endpoint.
func podOf(endpoint string) string {
	for n := range maxPods {
		switch endpoint {
		case podAddress(n), withSidecar.ip(n) + ":8000", inAmbient.ip(n) + ":8000":
			return fmt.Sprintf("replica-%d", n)
		}
	}
	return endpoint
}

// forged: a client that names a pod, a cluster or a key itself changes nothing.
func forged(t *testing.T, g *gateway) {
	home := g.ask(t, story(1), "Who are you?").replica
	for n := range 3 {
		before := g.stat(t, "warmroute_removed_headers_total")
		r := g.ask(t, story(1), fmt.Sprintf("Am I %d?", n),
			steeringHeaders[0], podAddress(n),
			steeringHeaders[1], fmt.Sprintf("outbound|8000|vllm-%d|vllm.default.svc.cluster.local", n),
			steeringHeaders[2], fmt.Sprint(n))
		if r.status != http.StatusOK || r.replica != home {
			t.Errorf("with headers that name pod %d: status %d from %s, want 200 from %s", n, r.status, r.replica, home)
		}
		if got := g.stat(t, "warmroute_removed_headers_total") - before; got < 1 {
			t.Errorf("%v forged headers were removed, want some", got)
		}
	}
	notObeyed(t, g) // nor for a request that warmroute does not steer
}

// notObeyed: where nothing steers, the headers that a client forges have no effect: else all would go to the pod they name.
func notObeyed(t *testing.T, g *gateway) {
	t.Helper()
	at := map[string]int{}
	for range 40 {
		r := g.send(t, http.MethodGet, "/v1/models", "", steeringHeaders[0], podAddress(2),
			steeringHeaders[1], "outbound|8000|vllm-2|vllm.default.svc.cluster.local", steeringHeaders[2], "2")
		if r.status == http.StatusOK {
			at[r.replica]++
		}
	}
	if len(at) < 2 {
		t.Errorf("GET /v1/models with forged headers was answered by %v, want several", at)
	}
}

// metrics: what the module counts has labels, by Istio's extraStatTags.
func metrics(t *testing.T, g *gateway, keyed bool) {
	want := map[string]string{"warmroute_requests_total": `reason="`}
	if !keyed {
		want["warmroute_in_flight"], want["warmroute_cached_tokens_total"] = `endpoint="10.9.0.1`, `endpoint="10.9.0.1`
	}
	for name, label := range want {
		eventually(t, "Envoy shows "+name+" with "+label, func() bool {
			for line := range strings.Lines(g.admin(t, "/stats/prometheus")) {
				if strings.HasPrefix(line, name+"{") && strings.Contains(line, label) {
					return true
				}
			}
			return false
		})
	}
}

// bodies: those of many megabytes pass, where no filter has to hold them.
func bodies(t *testing.T, g *gateway, held bool) {
	for _, c := range []struct{ mib, held, streamed int }{{3, 200, 200}, {6, 413, 200}} {
		want := c.streamed
		if held {
			want = c.held
		}
		body := `{"model":"warmroute-sim","max_tokens":1,"prompt":"Short.","padding":"` + strings.Repeat("x", c.mib<<20) + `"}`
		if r := g.send(t, http.MethodPost, "/v1/completions", body); r.status != want {
			t.Errorf("a body of %d MiB: status %d, want %d", c.mib, r.status, want)
		}
	}
}

// scale changes the StatefulSet as `kubectl scale` would.
func (s *stack) scale(t *testing.T, n int) {
	t.Helper()
	if _, err := s.kube.call(http.MethodPatch, "/apis/apps/v1/namespaces/default/statefulsets/vllm/scale",
		"application/merge-patch+json", object{"spec": object{"replicas": n}}); err != nil {
		t.Fatal(err)
	}
}

// scaleUp: new pods get requests soon, without a change of any configuration.
func scaleUp(t *testing.T, s *stack, g *gateway) {
	began := time.Now()
	s.scale(t, 5)
	used := map[string]bool{}
	n := 100
	eventually(t, "both new pods have answered", func() bool {
		n++
		if r := g.ask(t, story(n), "Hello"); r.status == http.StatusOK {
			used[r.replica] = true
		}
		return used["replica-3"] && used["replica-4"]
	})
	t.Logf("both new pods had answered after %.1f s", time.Since(began).Seconds())
}

// scaleDown: the pods that went get no more requests, and no request fails for it once the gateway knows.
func scaleDown(t *testing.T, s *stack, g *gateway) {
	began := time.Now()
	s.scale(t, 2)
	statuses := map[int]int{}
	alone, n := 0, 200
	eventually(t, "twenty requests in a row were answered by the two pods left", func() bool {
		n++
		r := g.ask(t, story(n), "Hello")
		statuses[r.status]++
		if alone++; r.status != http.StatusOK || r.replica != "replica-0" && r.replica != "replica-1" {
			alone = 0
		}
		return alone == 20
	})
	t.Logf("settled after %.1f s; statuses %v", time.Since(began).Seconds(), statuses)
}

// edit: a change of the module's configuration is taken while requests run, and none fails.
func edit(t *testing.T, s *stack, g *gateway, docs []object) {
	for _, doc := range docs {
		pluginConfig(t, doc, func(config object) { config["policy"] = "prefix_hash" })
		if err := s.kube.apply(doc); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	statuses := map[int]int{}
	eventually(t, "the new policy decides", func() bool {
		r := g.ask(t, story(3), "Hello")
		statuses[r.status]++
		return r.decision["policy"] == "prefix_hash"
	})
	t.Logf("taken after %.1f s; statuses %v; %s", time.Since(began).Seconds(), statuses, g.agent.memory())
	if len(statuses) != 1 {
		t.Errorf("statuses while the configuration changed: %v, want 200 only", statuses)
	}
}
