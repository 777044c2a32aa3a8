package checks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
	"warmroute/hostsim/internal/tree"
)

// failurePolicies are Envoy's values of failure_policy, by number (envoy.extensions.wasm.v3.FailurePolicy).
var failurePolicies = []string{"UNSPECIFIED", "FAIL_RELOAD", "FAIL_CLOSED", "FAIL_OPEN"}

// failing judges what Envoy does with requests after a trap of the module.
func failing(f *manifest.Filter) []finding.Finding {
	p, known := failurePolicy(tree.Member(f.Wasm, "failure_policy"))
	if !known {
		return []finding.Finding{finding.Broken.At(f.Where, "failure_policy is "+p+", which Envoy does not know: it refuses the configuration", "failure_policy: FAIL_RELOAD   # or one of "+strings.Join(failurePolicies[2:], ", "))}
	}
	if tree.Member(f.Wasm, "fail_open") == true { // its older name, which Envoy Gateway writes
		p = "FAIL_OPEN"
	}
	if f.Wasm == nil || p == "FAIL_RELOAD" || p == "FAIL_OPEN" && fetched(f) {
		return nil
	}
	return []finding.Finding{finding.Weak.At(f.Where, "failure_policy is "+finding.OrNone(p)+": after a trap every request of that worker gets 503, or goes unsteered, until Envoy gets a new configuration", "failure_policy: FAIL_RELOAD")}
}

// failurePolicy is the name of a value, which may be its number; "": there is none. Envoy reads names in any case.
func failurePolicy(value any) (name string, known bool) {
	switch v := value.(type) {
	case nil:
		return "", true
	case string:
		name = v
	default:
		name = fmt.Sprint(v)
	}
	if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(failurePolicies) {
		return failurePolicies[i], true
	}
	if upper := strings.ToUpper(name); slices.Contains(failurePolicies, upper) {
		return upper, true
	}
	return name, false
}

// fetched says whether the module comes over the network, by Envoy or by Istio's agent: then FAIL_OPEN is what lets requests pass
// while it cannot be had (istio/README.md).
func fetched(f *manifest.Filter) bool {
	return tree.Member(f.Wasm, "vm_config", "code", "remote") != nil || strings.Contains(tree.Str(f.Wasm, "vm_config", "code", "local", "filename"), "/istio/")
}
