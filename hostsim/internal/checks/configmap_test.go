package checks

import (
	"strings"
	"testing"

	"warmroute/hostsim/internal/finding"
)

// A ConfigMap has an Envoy's configuration as a text.
func TestConfigMap(t *testing.T) {
	text := func(envoy string) string {
		return "kind: ConfigMap\nmetadata: {name: envoy}\ndata:\n  other.txt: 'a: b: c'\n  envoy.yaml: |\n    " + strings.ReplaceAll(envoy, "\n", "\n    ")
	}
	right := example(t, "endpoint")
	if all := judge(t, text(right)); len(all) == 0 || finding.Worst(all) != finding.Fine {
		t.Errorf("%+v", all)
	}
	if all := judge(t, text(strings.Replace(right, "allow_on_headers_stop_iteration: true", "allow_on_headers_stop_iteration: false", 1))); finding.Worst(all) != finding.Broken {
		t.Errorf("%+v", all)
	}
}
