package checks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
	"warmroute/hostsim/internal/tree"
	"warmroute/plugin/config"
)

// attached judges what stands around a module of Envoy Gateway, as far as it is given: the route whose hosts it discovers, the policy that takes
// its choice, and the one that says how much is held until then.
func (s setup) attached(f *manifest.Filter, c *config.Config) (out []finding.Finding) {
	if s.Envoy || !strings.HasPrefix(f.Where, manifest.ExtensionPolicy) {
		return nil
	}
	pools := s.Steered(c)
	for i := range pools {
		part := strings.Split(pools[i].Discovery.Cluster, "/") // httproute/NAMESPACE/NAME/rule/NUMBER
		if len(part) == 5 && part[0] == "httproute" && len(f.Targets) > 0 && (!slices.Contains(f.Targets, part[2]) || f.Space != "" && f.Space != part[1]) {
			out = append(out, finding.Broken.At(f.Where, fmt.Sprintf("it is attached to the HTTPRoute %s, and looks for the hosts of %s", strings.TrimPrefix(f.Space+"/"+finding.Some(f.Targets), "/"), pools[i].Discovery.Cluster),
				"discovery: {cluster: httproute/NAMESPACE/NAME/rule/NUMBER} of that route"))
		}
		if header := pools[i].Steer.Header; len(s.Backend) > 0 && pools[i].Steer.Target == config.TargetEndpoint && !slices.ContainsFunc(s.Backend, func(policy map[string]any) bool { return takes(policy, header) }) {
			out = append(out, finding.Broken.At(f.Where, "no BackendTrafficPolicy takes endpoints from the header "+header+": Envoy balances as it likes",
				"loadBalancer: {type: LeastRequest, endpointOverride: {extractFrom: [{header: "+header+"}]}}"))
		}
	}
	if len(s.Client) == 0 {
		return out
	}
	limit := 32.0 * 1024 // Envoy Gateway's own
	for _, policy := range s.Client {
		limit = max(limit, quantity(tree.Member(policy, "spec", "connection", "bufferLimit")))
	}
	if want := float64(heldBytes(c) + config.OneRead); limit < want {
		out = append(out, finding.Weak.At(f.Where, fmt.Sprintf("prompts above %.0f KiB may wait for decide_timeout and go on unrouted: bufferLimit is below what is held until the decision, up to %d KiB and one more read", limit/1024, heldBytes(c)/1024),
			"connection: {bufferLimit: 8Mi} in the ClientTrafficPolicy, as in examples/envoy-gateway"))
	}
	return out
}

// takes says whether a BackendTrafficPolicy takes endpoints from a header.
func takes(policy map[string]any, header string) bool {
	return slices.ContainsFunc(tree.Items(policy, "spec", "loadBalancer", "endpointOverride", "extractFrom"), func(from any) bool {
		return strings.EqualFold(tree.Str(from, "header"), header)
	})
}

// quantity is one of Kubernetes, in bytes; 0: it is none.
func quantity(v any) float64 {
	text := fmt.Sprint(v)
	number := strings.TrimRight(text, "KMGikm")
	n, err := strconv.ParseFloat(number, 64)
	unit, known := map[string]float64{"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}[text[len(number):]]
	if err != nil || !known {
		return 0
	}
	return n * unit
}
