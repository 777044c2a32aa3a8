package counts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/promtext"
	"warmroute/plugin/why"
)

// passing says what to do about requests that pass unsteered, by the reason. Those that are no prompts pass on purpose.
var passing = map[string]string{
	string(why.NoPool):      "no_pool: no pool's match has the route's cluster or the body's model: add a pool without match for the rest",
	string(why.NoEndpoints): "no_endpoints: endpoints, or discovery.cluster with an admin_cluster that answers; at a gateway's start the first requests pass so",
	string(why.Off):         "off: the pool's off, or the request's own word; nothing, if that is meant",
	string(why.Stalled):     "stalled: allow_on_headers_stop_iteration: true, if it is every request",
	string(why.NoSession):   "no_session: session_headers, or another policy",
	string(why.NoSystem):    "no_system: another policy",
}

// passed judges the requests that were left to Envoy's own balancing: where none was steered, or many of all.
func passed(page promtext.Page) []finding.Finding {
	const where = "metrics"
	by := map[string]float64{} // of prompts, by reason
	var prompts, others, unknown float64
	for _, m := range page["warmroute_passed_total"] {
		switch reason := m.Labels["reason"]; {
		case m.Value == 0:
		case reason == string(why.NotPost) || reason == string(why.NotLLM):
			if others += m.Value; reason == string(why.NotLLM) {
				unknown += m.Value
			}
		default:
			by[reason] += m.Value
			prompts += m.Value
		}
	}
	steered := page.Total("warmroute_requests_total")
	switch {
	case prompts > tenth*(prompts+steered):
	case steered == 0 && unknown > 0:
		return []finding.Finding{finding.Weak.At(where, fmt.Sprintf("no request was steered: %.0f passed with paths that are none of vLLM's (not_llm)", unknown),
			`"paths": [{"path": "/openai/**"}] for vLLM's behind a prefix, or a format for others; none, where no prompts came yet: docs/troubleshooting.md#requests-pass-unsteered`)}
	case steered == 0 && others > 0:
		return []finding.Finding{finding.Fine.At(where, finding.Plural(others, "request")+" passed that no pool is for (not_post): nothing was routed yet",
			`none, for GET and the like; "paths" for paths of your own: docs/troubleshooting.md#requests-pass-unsteered`)}
	default:
		return nil
	}
	reasons := make([]string, 0, len(by))
	for reason := range by {
		reasons = append(reasons, reason)
	}
	slices.SortFunc(reasons, func(a, b string) int { return cmp.Or(cmp.Compare(by[b], by[a]), cmp.Compare(a, b)) })
	var parts, cures []string
	for _, reason := range reasons {
		parts = append(parts, fmt.Sprintf("%s %.0f", reason, by[reason]))
		if cure := passing[reason]; cure != "" {
			cures = append(cures, cure)
		}
	}
	what := finding.Plural(prompts, "request") + " passed unsteered: "
	if steered > 0 {
		what = fmt.Sprintf("%.0f of %s passed unsteered: ", prompts, finding.Plural(prompts+steered, "request"))
	}
	if len(parts) == 1 {
		parts = reasons
	}
	return []finding.Finding{finding.Weak.At(where, what+strings.Join(parts, ", "), strings.Join(append(cures, "docs/troubleshooting.md#requests-pass-unsteered"), "; "))}
}
