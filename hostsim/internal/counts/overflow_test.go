package counts

import "testing"

// Circuit breakers that refuse are named: else it looks as if clients left.
func TestOverflow(t *testing.T) {
	const active, pending, retry = `envoy_cluster_upstream_rq_active_overflow{envoy_cluster_name="vllm"} `, `envoy_cluster_upstream_rq_pending_overflow{envoy_cluster_name="vllm"} `, `envoy_cluster_upstream_rq_retry_overflow{envoy_cluster_name="vllm"} `
	for _, c := range []struct{ page, want, not string }{
		{pending + "0\n" + retry + "0\n", "", ""},
		{pending + "317\n" + retry + "0\n", "317 requests were refused by the circuit breaker of cluster vllm (317): 503, flags UO → circuit_breakers: {thresholds: [{…}]} with larger max_pending_requests", "max_retries"},
		{pending + "0\n" + retry + "1\n", "1 retry was refused by the circuit breaker of cluster vllm (1)", "max_requests"},
		{active + "7\n" + pending + "0\n", "7 requests were refused by the circuit breaker of cluster vllm (7): 503, flags UO → circuit_breakers: {thresholds: [{…}]} with larger max_requests", "max_connections"},
		{retry + "2\n", "2 retries were refused", ""},
	} {
		found(t, c.page, c.want, c.not, overflown)
	}
}
