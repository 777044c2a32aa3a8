//go:build e2eistio

package e2e

import (
	"os/exec"
	"strings"
	"testing"
)

// inAPI names the tests' Gateway of the Kubernetes Gateway API.
var inAPI = []string{"gateway.name=llm", "gateway.namespace=default"}

// elsewhere is a gateway of the Gateway API that has a namespace of its own.
var elsewhere = func() style {
	s := gatewayAPI
	s.namespace = "istio-system"
	return s
}()

// TestHelm: what helm renders of istio/chart, with a vLLM and a gateway of its own, steers on a real istiod.
func TestHelm(t *testing.T) {
	for _, v := range []struct {
		name    string
		style   style
		keyed   bool // warmroute gives a key, and Envoy chooses
		filters int  // one routes, one answers other gateways
		values  []string
	}{
		{"wasmplugin", classic, false, 2, nil},
		{"envoyfilter", classic, false, 2, nil},
		{"subsets", classic, false, 2, nil},
		{"consistent-hash", classic, true, 1, nil},
		{"inferencepool", gatewayAPI, false, 2, inAPI},
		{"wasmplugin", elsewhere, false, 2, []string{"gateway.name=llm"}}, // of the Gateway API, in another namespace than the Service
	} {
		t.Run(v.name+" of "+v.style.service+" in "+v.style.namespace, func(t *testing.T) {
			s := shared
			s.apply(t, s.charted(t, append([]string{"variant=" + v.name, "vllm.create=true", "gateway.create=true"}, v.values...)...))
			eventually(t, "the StatefulSet's three pods have endpoints", func() bool { return s.podCount(t) == 3 })
			g := s.startGateway(t, v.style)
			eventually(t, "the module has come by ECDS, and steers", func() bool {
				return len(g.modules(t)) == v.filters && g.steers(t)
			})
			t.Run("affinity", func(t *testing.T) { affinity(t, g, v.keyed) })
			t.Run("forged headers", func(t *testing.T) { forged(t, g) })
			t.Run("doctor", func(t *testing.T) { examined(t) })
		})
	}
}

// examined: hostsim doctor finds nothing broken in the gateway of this network, and nothing weak in what is configured: a busy
// machine may miss a reading of metrics.
func examined(t *testing.T) {
	out, err := exec.Command("../../build/hostsim", "doctor", "--admin", adminURL, "--timeout", "1m").CombinedOutput()
	if t.Logf("hostsim doctor:\n%s", out); err != nil || strings.Contains(string(out), "weak    filter") || !strings.Contains(string(out), "the configuration is taken") {
		t.Errorf("hostsim doctor: %v", err)
	}
}

// TestHelmPools: the chart's pools, with routes and Services of one's own.
func TestHelmPools(t *testing.T) {
	s := shared
	s.apply(t, s.shipped(t, classic.folder, nil))
	eventually(t, "the StatefulSet's three pods have endpoints", func() bool { return s.podCount(t) == 3 })
	maple := services[2]
	s.apply(t, maple.routes())
	s.serve(t, maple)
	s.apply(t, s.charted(t, "variant=envoyfilter", "pools[0].name=vllm-*", "pools[1].name=vllm"))
	g := s.startGateway(t, classic)
	maple.isSteered(t, g)
	fallback.isSteered(t, g)
}

// TestHelmGateways: two gateways of the chart know what each has routed; the chart makes all that it takes.
func TestHelmGateways(t *testing.T) {
	for _, v := range []struct {
		name   string
		style  style
		values []string
	}{
		{"wasmplugin", classic, nil},
		{"envoyfilter", classic, nil},
		{"subsets", classic, nil},
		{"inferencepool", gatewayAPI, inAPI},
	} {
		t.Run(v.name, func(t *testing.T) {
			s := shared
			s.apply(t, s.charted(t, append([]string{"variant=" + v.name, "vllm.create=true", "gateway.create=true", "gateways.log=false"}, v.values...)...))
			eventually(t, "the StatefulSet's three pods have endpoints", func() bool { return s.podCount(t) == 3 })
			a := s.startGateway(t, v.style.in(t, "10.9.1.1"))
			b := s.startGateway(t, v.style.in(t, "10.9.1.2"))
			knowEachOther(t, a, b)
			b.knows(t, tell(t, a, 100, b), a)
		})
	}
}

// charted is what helm makes of the chart with these values, the module in the tests' registry, and decisions shown.
func (s *stack) charted(t *testing.T, values ...string) []object {
	t.Helper()
	argv := []string{"template", "warmroute", "../chart", "--set", "config.response_header=x-warmroute-decision",
		"--set", "image=oci://" + registryAddress + "/warmroute:" + moduleTag}
	for _, value := range values {
		argv = append(argv, "--set", value)
	}
	out, err := exec.Command(s.tools+"/bin/helm", argv...).Output()
	if err != nil {
		t.Fatalf("helm %v: %v", argv, err)
	}
	docs, err := parseYAML(string(out))
	if err != nil {
		t.Fatal(err)
	}
	return docs
}
