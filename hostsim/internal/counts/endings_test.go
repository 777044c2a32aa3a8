package counts

import (
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/promtext"
)

// countedPage are the metrics of a module that is loaded, and more.
func countedPage(lines ...string) string {
	return "warmroute_removed_headers_total{} 0\n" + strings.Join(lines, "\n") + "\n"
}

func countedAt1000(p promtext.Page) []finding.Finding { return Judge(p, time.Unix(1000, 0)) }

// Where many requests fail, that is said, and nothing else of them is called fine.
func TestEndings(t *testing.T) {
	const (
		steered  = `warmroute_requests_total{reason="by_load",endpoint="a:1"} 33`
		answered = `warmroute_answers_total{outcome="answered",endpoint="a:1"} `
		refused  = `warmroute_answers_total{outcome="refused",endpoint="a:1"} `
		failed   = `warmroute_answers_total{outcome="failed",endpoint="b:1"} `
		left     = `warmroute_answers_total{outcome="cancelled",endpoint="b:1"} `
	)
	for _, c := range []struct{ page, want, not string }{
		{countedPage(steered, answered+"3", refused+"30"), "metrics: 30 of 33 requests were refused since Envoy started, last tried at a:1 (30) → refused: do the replicas run", "33 requests,"},
		{countedPage(steered, answered+"3", refused+"20", failed+"10"), "30 of 33 requests failed (refused 20, failed 10) since Envoy started, last tried at a:1 (20), b:1 (10)", "33 requests,"},
		{countedPage(steered, answered+"30", refused+"3"), "no answer had a usage", "refused"},
		{countedPage(steered, answered+"3", left+"30"), "30 of 33 requests ended because the client left, or Envoy answered in a replica's place", "refused"},
		{countedPage(steered, answered+"1", refused+"1"), "1 of 2 requests were refused", "no answer had a usage"},
	} {
		found(t, c.page, c.want, c.not, countedAt1000)
	}
}

// That answers lack a usage is said only where an answer could have had one.
func TestUsageIsExpected(t *testing.T) {
	const (
		steered = `warmroute_requests_total{reason="by_load",endpoint="a:1"} 10`
		prefix  = `",envoy_http_conn_manager_prefix="llm"} `
		good    = `envoy_http_downstream_rq_xx{envoy_response_code_class="2` + prefix
		bad     = `envoy_http_downstream_rq_xx{envoy_response_code_class="4` + prefix
		usage   = "no answer had a usage"
	)
	for _, c := range []struct{ page, want, not string }{
		{countedPage(steered), usage, "10 requests,"}, // Envoy's own counters may be left out
		{countedPage(steered), "in streamed requests; or no prompt was read: why=… in the access log says why", ""},
		{countedPage(steered, `warmroute_requests_total{reason="match",endpoint="a:1"} 10`), usage, "no prompt was read"},
		{countedPage(steered, good+"10", bad+"0"), usage, "10 requests,"},
		{countedPage(steered, good+"0", bad+"10"), "10 requests, none of them known to have an answer of 2xx", usage},
		{countedPage(steered, good+"4", bad+"10", `warmroute_passed_total{reason="not_post"} 4`), "none of them known to have an answer of 2xx", usage},
		{countedPage(steered, good+"13", `warmroute_passed_total{reason="stalled"} 3`), "3 requests waited decide_timeout", usage},
		{countedPage(steered, `warmroute_late_model_total 2`), "2 requests went on before the body's model had come", ""},
		{countedPage(steered, `warmroute_requests_total{reason="match",endpoint="a:1"} 10`, good+"23", `warmroute_passed_total{reason="stalled"} 3`), usage, "20 requests,"},
	} {
		found(t, c.page, c.want, c.not, countedAt1000)
	}
}
