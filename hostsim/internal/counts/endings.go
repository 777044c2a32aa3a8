package counts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/promtext"
	"warmroute/plugin/config"
)

// tenth is the share of requests from which on failures, or requests that pass unsteered, are worth a finding of their own.
const tenth = 0.1

// failures are the outcomes of warmroute_answers_total that cost a request, each in words and with what to look at.
var failures = []struct{ outcome, words, cure string }{
	{"refused", "were refused", "refused: do the replicas run, at these addresses and ports? Or they answer 502 or 503: curl http://ADDRESS/health, and the replica's log"},
	{"failed", "failed", "failed: the replica answers 5xx, or cuts the connection before an answer: its log"},
	{"timed_out", "timed out", "timed_out: no answer in time: the route's timeout and per_try_timeout, or too few replicas"},
	{"broken", "were cut in the middle of the answer", "broken: the replica died or was restarted, or idle_timeout or stream_idle_timeout is too short"},
}

// Failing says whether so many steered requests have failed that it is a fault.
func Failing(page promtext.Page) bool { return finding.Worst(endings(page)) == finding.Broken }

// endings judges how steered requests have ended. Those that their clients have cancelled are no failure, unless many are.
func endings(page promtext.Page) []finding.Finding {
	const metric, where = "warmroute_answers_total", "metrics"
	all := page.Total(metric)
	var failed float64
	var kinds, cures []string
	words := ""
	at := map[string]float64{}
	for _, f := range failures {
		n := page.Sum(metric, "outcome", f.outcome)
		if n == 0 {
			continue
		}
		failed += n
		words = f.words
		kinds, cures = append(kinds, fmt.Sprintf("%s %.0f", f.outcome, n)), append(cures, f.cure)
		for _, m := range page[metric] {
			if m.Labels["outcome"] == f.outcome {
				server, _ := config.SplitRank(m.Labels["endpoint"])
				at[server] += m.Value
			}
		}
	}
	cancelled := page.Sum(metric, "outcome", "cancelled")
	switch {
	case failed > tenth*all:
		if len(kinds) > 1 {
			words = "failed (" + strings.Join(kinds, ", ") + ")"
		}
		return []finding.Finding{finding.Broken.At(where, fmt.Sprintf("%.0f of %s %s since Envoy started, last tried at %s", failed, finding.Plural(all, "request"), words, most(at)),
			strings.Join(cures, "; ")+"; docs/troubleshooting.md#requests-fail")}
	case cancelled > tenth*all:
		return []finding.Finding{finding.Weak.At(where, fmt.Sprintf("%.0f of %s ended because the client left, or Envoy answered in a replica's place", cancelled, finding.Plural(all, "request")),
			"the flags in the access log: DC, clients' time-outs; UO, the cluster's circuit_breakers; RL and UAEX, filters behind warmroute, which belong before it; NC, the choice names a cluster that is not there (docs/troubleshooting.md#requests-fail)")}
	}
	return nil
}

// most names the endpoints with the most, and how many each has.
func most(of map[string]float64) string {
	names := make([]string, 0, len(of))
	for name := range of {
		if of[name] > 0 {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a, b)) })
	var parts []string
	for _, name := range names[:min(len(names), finding.Shown)] {
		parts = append(parts, fmt.Sprintf("%s (%.0f)", name, of[name]))
	}
	if more := len(names) - finding.Shown; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(parts, ", ")
}

// counted2xx is how many of the steered requests were answered with 2xx at least: of the answers that clients got, those that passed
// unsteered may be 2xx too. known: the page has Envoy's counters by status, which Istio leaves out.
func counted2xx(page promtext.Page) (n float64, known bool) {
	for _, m := range page["envoy_http_downstream_rq_xx"] {
		if m.Labels["envoy_http_conn_manager_prefix"] != "admin" {
			known = true
			if m.Labels["envoy_response_code_class"] == "2" {
				n += m.Value
			}
		}
	}
	return n - page.Total("warmroute_passed_total"), known
}

// unread says whether no request's body was read, as far as is known: Envoy showed none (the first three of a worker are then stalled)
// and all went by load. Without its body a request's usage is not expected either.
func unread(page promtext.Page) bool {
	return page.Sum("warmroute_passed_total", "reason", "stalled") >= 3 && allByLoad(page)
}

// allByLoad says whether no request went where its prompt was.
func allByLoad(page promtext.Page) bool {
	return page.Total("warmroute_requests_total") == page.Sum("warmroute_requests_total", "reason", "by_load")
}
