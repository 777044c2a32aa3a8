package doctor

import (
	"fmt"
	"time"

	"warmroute/plugin/config"
)

const (
	stale    = 30 // seconds that a reading of a replica's metrics may be old: without requests they are up to 20 s apart
	staleAll = 60 // the same of the list of endpoints
)

// ages judges when metrics and endpoints were last read. Readings that failed before one that did not are no fault any more.
func ages(page pageOf, now time.Time) (out []Finding) {
	age := func(m sample) float64 { return float64(now.Unix()) - m.value }
	read := map[string]bool{} // endpoints whose metrics were read, or that have left
	for _, m := range page["warmroute_last_scrape_timestamp_seconds"] {
		read[m.labels["endpoint"]] = true
		if server, _ := config.SplitRank(m.labels["endpoint"]); m.value > 0 && age(m) > stale {
			out = append(out, Finding{Weak, "endpoint " + server, fmt.Sprintf("its metrics were last read %.0f s ago: they count no more", age(m)),
				"curl http://" + server + "/metrics; Envoy's log says why"})
		}
	}
	for _, m := range page["warmroute_scrape_errors_total"] {
		if at := m.labels["endpoint"]; m.value > 0 && !read[at] {
			server, _ := config.SplitRank(at)
			out = append(out, Finding{Weak, "endpoint " + server, "its metrics were never read: " + plural(m.value, "reading") + agree(m.value, " has", " have") + " failed",
				"scrape.cluster, scrape.path and scrape.timeout; Envoy's log says why"})
		}
	}
	listed := map[string]bool{} // pools
	for _, m := range page["warmroute_last_discovery_timestamp_seconds"] {
		if m.value == 0 {
			continue
		}
		listed[m.labels["pool"]] = true
		if age(m) > staleAll {
			out = append(out, Finding{Weak, "discovery" + ofPool(m), fmt.Sprintf("the list of endpoints was last read %.0f s ago", age(m)), "discovery.admin_cluster; Envoy's log says why"})
		}
	}
	for _, m := range page["warmroute_discovery_errors_total"] {
		if m.value > 0 && !listed[m.labels["pool"]] {
			out = append(out, Finding{Weak, "discovery" + ofPool(m), "the list of endpoints was never read: " + plural(m.value, "reading") + agree(m.value, " has", " have") + " failed",
				"discovery.cluster and discovery.admin_cluster; Envoy's log says why"})
		}
	}
	return out
}

// ofPool names the pool of a metric, if it has one.
func ofPool(m sample) string {
	if name := m.labels["pool"]; name != "" {
		return " of the pool " + name
	}
	return ""
}

// unknownShare is the share of requests from which on answers of 404 are worth a word.
const unknownShare = 0.01

// unknown judges how many requests the replicas answered by 404: of a model, or a path, that they do not have. Pages of metrics that
// are not found are counted elsewhere.
func unknown(page pageOf) []Finding {
	n := page.sum("envoy_cluster_upstream_rq", "envoy_response_code", "404") - page.sum("warmroute_scrape_errors_total", "", "")
	all := page.sum("warmroute_requests_total", "", "")
	if n < 1 || n < unknownShare*all {
		return nil
	}
	return []Finding{{Weak, "replicas", plural(n, "request") + agree(n, " was", " were") + " answered by 404: of a model or a path that the replica does not have",
		`curl http://ENDPOINT/v1/models lists the names (vllm serve … --served-model-name); "scrape": {"models": "/v1/models"} counts such requests in warmroute_unlisted_model_total`}}
}
