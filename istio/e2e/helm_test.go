//go:build e2eistio

package e2e

import (
	"os/exec"
	"testing"
)

// TestHelm: what helm renders of istio/chart, with a vLLM and a gateway of its own, steers on a real istiod.
func TestHelm(t *testing.T) {
	for _, variant := range []string{"wasmplugin", "envoyfilter"} {
		t.Run(variant, func(t *testing.T) {
			s := shared
			s.apply(t, s.charted(t, "variant="+variant, "vllm.create=true", "gateway.create=true", "config.response_header=x-warmroute-decision",
				"image=oci://"+registryAddress+"/warmroute:"+moduleTag))
			eventually(t, "the StatefulSet's three pods have endpoints", func() bool { return s.podCount(t) == 3 })
			g := s.startGateway(t, classic)
			eventually(t, "the module has come by ECDS, and steers", func() bool {
				return len(g.modules(t)) == 1 && g.steers(t)
			})
			t.Run("affinity", func(t *testing.T) { affinity(t, g, false) })
			t.Run("forged headers", func(t *testing.T) { forged(t, g) })
		})
	}
}

// charted is what helm makes of the chart with these values.
func (s *stack) charted(t *testing.T, values ...string) []object {
	t.Helper()
	argv := []string{"template", "warmroute", "../chart"}
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
