package doctor

import (
	"slices"

	"warmroute/hostsim/internal/finding"
)

// mismatched says of clusters that speak TLS that their replicas, which fail through Envoy, answer without, if so. replicas is what was found
// when they were asked.
func mismatched(clusters []string, failing bool, replicas []finding.Finding) (out []finding.Finding) {
	if !failing || !slices.ContainsFunc(replicas, func(f finding.Finding) bool { return f.Level == finding.Fine && f.Where == "replicas" }) {
		return nil
	}
	for _, name := range clusters {
		out = append(out, finding.Weak.At("cluster "+name, "it speaks TLS, and the replicas answer without: if they take nothing else, every request gets 503", "no transport_socket; or TLS at the replicas, vllm serve --ssl-certfile … --ssl-keyfile …"))
	}
	return out
}
