// Package counts says what the module's own counters, on a page of a running Envoy's metrics, show to be wrong.
package counts

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/promtext"
)

// Judge judges what the module has counted.
func Judge(page promtext.Page, now time.Time) []finding.Finding {
	const where = "metrics"
	var out []finding.Finding
	if page["warmroute_endpoints"] == nil && page["warmroute_removed_headers_total"] == nil {
		for _, name := range slices.Sorted(maps.Keys(page)) {
			if strings.Contains(name, "warmroute_") {
				return []finding.Finding{finding.Weak.At(where, "the module's metrics have no labels, but names such as "+name, "stats_config: {stats_tags: …}, as in examples/envoy/endpoint.yaml")}
			}
		}
		return []finding.Finding{finding.Broken.At(where, "the module counts nothing: it is not loaded", "Envoy's log says why: grep -i wasm")}
	}
	total := page.Total
	if n := page.Sum("warmroute_passed_total", "reason", "stalled"); n > 0 {
		out = append(out, finding.Weak.At(where, finding.Plural(n, "request")+" waited decide_timeout, since the body was not shown or made no progress", "allow_on_headers_stop_iteration: true, if it is every request"))
	}
	if n := total("warmroute_late_model_total"); n > 0 {
		out = append(out, finding.Weak.At(where, finding.Plural(n, "request")+" went on before the body's model had come, on which the choice depends: 404 where the server does not have it", "docs/pools.md#bodies-whose-model-comes-last"))
	}
	if KnowsNone(page) {
		out = append(out, finding.Broken.At(where, "the module knows no endpoint", "endpoints, or discovery.cluster with an admin_cluster that answers"))
	}
	named := outages(page, now)
	if n := total("warmroute_endpoints_down"); n > 0 && len(named) == 0 {
		out = append(out, finding.Weak.At(where, fmt.Sprintf("endpoints that are down: %.0f, which no request has tried for two minutes", n), "Envoy's log names them: grep 'warmroute: endpoint'"))
	}
	out = append(out, named...)
	if n := total("warmroute_endpoints_dropped"); n > 0 {
		out = append(out, finding.Weak.At(where, fmt.Sprintf("%.0f endpoints are counted together as \"other\"", n), `"metric_endpoints": larger`))
	}
	out = slices.Concat(out, ages(page, now), unknown(page), overflown(page), peers(page))
	left, failed := passed(page), endings(page)
	if total("warmroute_requests_total") == 0 && len(left) > 0 {
		return append(out, left...)
	}
	return slices.Concat(out, left, failed, hits(page, finding.Worst(failed) == finding.Broken))
}

// hits judges whether requests are routed, and what they find in caches. failing: most of what there is to say was said.
func hits(page promtext.Page, failing bool) []finding.Finding {
	const where = "metrics"
	requests, prompts := page.Total("warmroute_requests_total"), page.Total("warmroute_prompt_tokens_total")
	cached, expected := page.Total("warmroute_cached_tokens_total"), page.Total("warmroute_expected_cached_tokens_total")
	good, known := counted2xx(page)
	switch {
	case requests == 0 && slices.ContainsFunc(slices.Collect(maps.Keys(page)), func(name string) bool { return strings.HasSuffix(name, "_warmroute_requests_total") }):
		return []finding.Finding{finding.Weak.At(where, "requests are counted under names without labels", "stats_config: {stats_tags: …}, as in examples/envoy/endpoint.yaml")}
	case requests == 0:
		return []finding.Finding{finding.Fine.At(where, "nothing was routed yet", "")}
	case prompts == 0 && (unread(page) || failing && (!known || good < 1)): // the cause was said
		return nil
	case prompts == 0 && known && good < 1:
		return []finding.Finding{finding.Fine.At(where, finding.Plural(requests, "request")+", none of them known to have an answer of 2xx: nothing is known of hits", "")}
	case prompts == 0:
		cure := "vllm serve … --enable-prompt-tokens-details; and stream_options: {include_usage: true} in streamed requests"
		if allByLoad(page) { // the answers to such requests are not read
			cure += "; or no prompt was read: why=… in the access log says why (docs/troubleshooting.md#requests-pass-unsteered)"
		}
		return []finding.Finding{finding.Weak.At(where, "no answer had a usage with prompt_tokens_details: hits are estimated and never corrected", cure)}
	case cached == 0 && expected > 0:
		return []finding.Finding{finding.Broken.At(where, "the replicas report no cached token where hits were expected: prefix caching is off there", "vllm serve … --enable-prefix-caching")}
	case expected > 0 && cached < expected/2:
		return []finding.Finding{finding.Weak.At(where, fmt.Sprintf("the replicas report %.0f %% of the cached tokens that were expected", 100*cached/expected), "docs/troubleshooting.md#few-hits")}
	case failing:
		return nil
	}
	return []finding.Finding{finding.Fine.At(where, fmt.Sprintf("%s, %.1f %% of the prompt tokens from caches", finding.Plural(requests, "request"), 100*cached/max(prompts, 1)), "")}
}

// KnowsNone says whether requests were not steered because the module knows no endpoint.
func KnowsNone(p promtext.Page) bool {
	shown := p["warmroute_endpoints"] != nil || p.Total("warmroute_requests_total") == 0 // their number comes seconds after the first request
	return shown && p.Total("warmroute_endpoints") == 0 && p.Sum("warmroute_passed_total", "reason", "no_endpoints") > 0
}
