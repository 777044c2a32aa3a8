package counts

import (
	"fmt"
	"time"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/promtext"
	"warmroute/plugin/config"
	"warmroute/plugin/why"
)

const (
	stale    = 30 // seconds that a reading of a replica's metrics may be old: without requests they are up to 20 s apart
	staleAll = 60 // the same of the list of endpoints
)

// ages judges when metrics and endpoints were last read. Readings that failed before one that did not are no fault any more.
func ages(page promtext.Page, now time.Time) (out []finding.Finding) {
	age := func(m promtext.Sample) float64 { return float64(now.Unix()) - m.Value }
	read := map[string]bool{} // endpoints whose metrics were read, or that have left
	for _, m := range page["warmroute_last_scrape_timestamp_seconds"] {
		read[m.Labels["endpoint"]] = true
		if server, _ := config.SplitRank(m.Labels["endpoint"]); m.Value > 0 && age(m) > stale {
			out = append(out, finding.Weak.At("endpoint "+server, fmt.Sprintf("its metrics were last read %.0f s ago: they count no more", age(m)),
				"curl http://"+server+"/metrics; Envoy's log says why"))
		}
	}
	for _, m := range page["warmroute_scrape_errors_total"] {
		if at := m.Labels["endpoint"]; m.Value > 0 && !read[at] {
			server, _ := config.SplitRank(at)
			out = append(out, finding.Weak.At("endpoint "+server, "its metrics were never read: "+finding.Plural(m.Value, "reading")+finding.Agree(m.Value, " has", " have")+" failed",
				"scrape.cluster, scrape.path and scrape.timeout; Envoy's log says why"))
		}
	}
	listed := map[string]bool{} // pools
	for _, m := range page["warmroute_last_discovery_timestamp_seconds"] {
		if m.Value == 0 {
			continue
		}
		listed[m.Labels["pool"]] = true
		if age(m) > staleAll {
			out = append(out, finding.Weak.At("discovery"+ofPool(m), fmt.Sprintf("the list of endpoints was last read %.0f s ago", age(m)), "discovery.admin_cluster; Envoy's log says why"))
		}
	}
	for _, m := range page["warmroute_discovery_errors_total"] {
		if m.Value > 0 && !listed[m.Labels["pool"]] {
			out = append(out, finding.Weak.At("discovery"+ofPool(m), "the list of endpoints was never read: "+finding.Plural(m.Value, "reading")+finding.Agree(m.Value, " has", " have")+" failed",
				"discovery.cluster and discovery.admin_cluster; Envoy's log says why"))
		}
	}
	return out
}

// ofPool names the pool of a metric, if it has one.
func ofPool(m promtext.Sample) string {
	if name := m.Labels["pool"]; name != "" {
		return " of the pool " + name
	}
	return ""
}

// unknownShare is the share of requests from which on answers of 404 are worth a word.
const unknownShare = 0.01

// unknown judges how many requests the replicas answered by 404: of a model, or a path, that they do not have. Pages of metrics that
// are not found are counted elsewhere, and requests that are no prompts, such as those of a load balancer that asks whether the gateway lives,
// are anybody's.
func unknown(page promtext.Page) []finding.Finding {
	n := page.Sum("envoy_cluster_upstream_rq", "envoy_response_code", "404") - page.Sum("warmroute_scrape_errors_total", "", "")
	for _, reason := range []why.Code{why.NotPost, why.NotLLM} {
		n -= page.Sum("warmroute_passed_total", "reason", string(reason))
	}
	all := page.Sum("warmroute_requests_total", "", "")
	if n < 1 || n < unknownShare*all {
		return nil
	}
	return []finding.Finding{finding.Weak.At("replicas", finding.Plural(n, "request")+finding.Agree(n, " was", " were")+" answered by 404: of a model or a path that the replica does not have",
		`curl http://ENDPOINT/v1/models lists the names (vllm serve … --served-model-name); "scrape": {"models": "/v1/models"} counts such requests in warmroute_unlisted_model_total`)}
}
