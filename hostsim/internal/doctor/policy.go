package doctor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// failurePolicies are Envoy's values of failure_policy, by number (envoy.extensions.wasm.v3.FailurePolicy).
var failurePolicies = []string{"UNSPECIFIED", "FAIL_RELOAD", "FAIL_CLOSED", "FAIL_OPEN"}

// failing judges what Envoy does with requests after a trap of the module.
func (f *Filter) failing() []Finding {
	p, known := failurePolicy(member(f.Wasm, "failure_policy"))
	if !known {
		return []Finding{{Broken, f.Where, "failure_policy is " + p + ", which Envoy does not know: it refuses the configuration", "failure_policy: FAIL_RELOAD   # or one of " + strings.Join(failurePolicies[2:], ", ")}}
	}
	if member(f.Wasm, "fail_open") == true { // its older name, which Envoy Gateway writes
		p = "FAIL_OPEN"
	}
	if f.Wasm == nil || p == "FAIL_RELOAD" || p == "FAIL_OPEN" && f.fetched() {
		return nil
	}
	return []Finding{{Weak, f.Where, "failure_policy is " + orNone(p) + ": after a trap every request of that worker gets 503, or goes unsteered, until Envoy gets a new configuration", "failure_policy: FAIL_RELOAD"}}
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
