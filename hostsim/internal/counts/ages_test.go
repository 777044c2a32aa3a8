package counts

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/promtext"
)

// What could not be read once, and can be now, is no fault; each pool, and each endpoint, counts by itself.
func TestAges(t *testing.T) {
	for _, c := range []struct{ page, want, not string }{
		{`warmroute_last_scrape_timestamp_seconds{endpoint="a:1"} 995
warmroute_scrape_errors_total{endpoint="a:1"} 9
warmroute_last_scrape_timestamp_seconds{endpoint="gone:1"} 0
warmroute_scrape_errors_total{endpoint="gone:1"} 9
warmroute_last_discovery_timestamp_seconds{} 998
warmroute_discovery_errors_total{} 3`, "", "read"},
		{`warmroute_scrape_errors_total{endpoint="a:1"} 9`, "endpoint a:1: its metrics were never read: 9 readings", ""},
		{`warmroute_last_scrape_timestamp_seconds{endpoint="a:1"} 950`, "endpoint a:1: its metrics were last read 50 s ago", ""},
		{`warmroute_last_discovery_timestamp_seconds{pool="a"} 999
warmroute_last_discovery_timestamp_seconds{pool="b"} 100`, "discovery of the pool b: the list of endpoints was last read 900 s ago", "pool a"},
		{`warmroute_last_discovery_timestamp_seconds{pool="a"} 999
warmroute_discovery_errors_total{pool="b"} 4`, "discovery of the pool b: the list of endpoints was never read: 4 readings", "pool a"},
	} {
		found(t, c.page, c.want, c.not, func(p promtext.Page) []finding.Finding { return ages(p, time.Unix(1000, 0)) })
	}
}

func TestAnswersOf404(t *testing.T) {
	const requests = "warmroute_requests_total{reason=\"match\"} 1000\n"
	for _, c := range []struct{ page, want, not string }{
		{requests + `envoy_cluster_upstream_rq{envoy_response_code="404",envoy_cluster_name="vllm"} 60`, "60 requests were answered by 404", ""},
		{requests + `envoy_cluster_upstream_rq{envoy_response_code="404",envoy_cluster_name="vllm"} 6`, "", "404"},
		{requests + "envoy_cluster_upstream_rq{envoy_response_code=\"404\",envoy_cluster_name=\"vllm\"} 60\nwarmroute_scrape_errors_total{endpoint=\"a:1\"} 60", "", "404"},
		{requests + "envoy_cluster_upstream_rq{envoy_response_code=\"404\",envoy_cluster_name=\"vllm\"} 60\nwarmroute_passed_total{reason=\"not_post\"} 40\nwarmroute_passed_total{reason=\"not_llm\"} 20", "", "404"},
	} {
		found(t, c.page, c.want, c.not, unknown)
	}
}

// found says whether the findings of a page have a text, and not another ("": any).
func found(t *testing.T, text, want, not string, by func(promtext.Page) []finding.Finding) {
	t.Helper()
	page, err := promtext.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	for _, f := range by(page) {
		fmt.Fprintf(&said, "%s: %s → %s\n", f.Where, f.What, f.Cure)
	}
	if got := said.String(); want == "" && got != "" || !strings.Contains(got, want) || not != "" && strings.Contains(got, not) {
		t.Errorf("%s\ngot %q, want %q and not %q", text, got, want, not)
	}
}
