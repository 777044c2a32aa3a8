package counts

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/promtext"
)

// What counters say of ranks is said of their server, whose page is one.
func TestRanksInCounters(t *testing.T) {
	page, err := promtext.Read([]byte(`warmroute_last_scrape_timestamp_seconds{endpoint="10.0.0.1:80#0"} 900
warmroute_scrape_errors_total{endpoint="10.0.0.2:80#0"} 7
warmroute_endpoint_down_since_timestamp_seconds{endpoint="10.0.0.1:80#10",reason="refused"} 970
warmroute_endpoint_down_since_timestamp_seconds{endpoint="10.0.0.1:80#2",reason="refused"} 971
warmroute_endpoint_down_since_timestamp_seconds{endpoint="10.0.0.1:80#3",reason="silent"} 980
warmroute_endpoint_down_since_timestamp_seconds{endpoint="10.0.0.3:80",reason="failing"} 990
warmroute_endpoint_down_since_timestamp_seconds{endpoint="10.0.0.4:80#2",reason="unhealthy"} 990
warmroute_endpoint_down_since_timestamp_seconds{endpoint="10.0.0.4:80#3",reason="unhealthy"} 990
warmroute_endpoint_down_since_timestamp_seconds{endpoint="10.0.0.5:80",reason="unhealthy"} 990
warmroute_answers_total{endpoint="10.0.0.1:80#1",outcome="refused"} 5
warmroute_answers_total{endpoint="10.0.0.1:80#2",outcome="refused"} 6
`))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1000, 0)
	text := fmt.Sprintf("%+v", append(append(ages(page, now), outages(page, now)...), endings(page)...))
	for _, want := range []string{
		"Where:endpoint 10.0.0.1:80 What:its metrics were last read 100 s ago", "curl http://10.0.0.1:80/metrics", "Where:endpoint 10.0.0.2:80 What:its metrics were never read",
		"Where:endpoint 10.0.0.1:80, ranks 2, 10 What:it has been down for 30 s: refused", "Where:endpoint 10.0.0.1:80#3 What:it has been down for 20 s: silent",
		"Where:endpoint 10.0.0.4:80, ranks 2, 3 What:it has been down for 10 s: unhealthy Cure:has the server such ranks (curl http://10.0.0.4:80/metrics)? If not, data_parallel_ranks: as many as it has; else health_flags",
		"Where:endpoint 10.0.0.5:80 What:it has been down for 10 s: unhealthy Cure:health_flags",
		"Where:endpoint 10.0.0.3:80 What:it has been down for 10 s: failing", "last tried at 10.0.0.1:80 (11) ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no finding %q in\n%s", want, text)
		}
	}
}
