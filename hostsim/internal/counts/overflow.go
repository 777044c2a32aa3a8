package counts

import (
	"fmt"
	"strings"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/promtext"
)

// overflown are the clusters whose circuit breaker has refused requests. Those are never sent, and metrics cannot be read meanwhile.
func overflown(page promtext.Page) (out []finding.Finding) {
	for _, kind := range []struct{ metric, what, many, limits string }{
		{"envoy_cluster_upstream_rq_active_overflow", "request", "requests", "max_requests"},
		{"envoy_cluster_upstream_rq_pending_overflow", "request", "requests", "max_pending_requests and max_connections (before Envoy 1.40 max_requests, too)"},
		{"envoy_cluster_upstream_rq_retry_overflow", "retry", "retries", "max_retries"},
	} {
		var all float64
		var where []string
		for _, m := range page[kind.metric] {
			if m.Value > 0 {
				all += m.Value
				where = append(where, fmt.Sprintf("%s (%.0f)", m.Labels["envoy_cluster_name"], m.Value))
			}
		}
		if all == 0 {
			continue
		}
		out = append(out, finding.Weak.At("metrics", fmt.Sprintf("%.0f %s refused by the circuit breaker of cluster %s: 503, flags UO", all, finding.Agree(all, kind.what+" was", kind.many+" were"), strings.Join(where, ", ")),
			"circuit_breakers: {thresholds: [{…}]} with larger "+kind.limits))
	}
	return out
}
