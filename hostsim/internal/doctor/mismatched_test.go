package doctor

import (
	"strings"
	"testing"

	"warmroute/hostsim/internal/finding"
)

// Replicas that fail through Envoy, and answer the doctor without TLS, are not to be looked for at other addresses.
func TestMismatched(t *testing.T) {
	answers, tls := []finding.Finding{finding.Fine.At("replicas", "3 of 3 answer", "")}, []string{"vllm"}
	if got := mismatched(tls, true, answers); len(got) != 1 || got[0].Where != "cluster vllm" || !strings.Contains(got[0].What, "it speaks TLS") {
		t.Errorf("%+v", got)
	}
	for _, got := range [][]finding.Finding{mismatched(tls, false, answers), mismatched(tls, true, nil), mismatched(nil, true, answers)} {
		if len(got) > 0 {
			t.Errorf("where requests succeed, no replica answers, or the cluster has no TLS: %+v", got)
		}
	}
}
