package counts

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/promtext"
)

// Endpoints that are down are named; where only their number is known, it is told.
func TestOutages(t *testing.T) {
	const head = "# TYPE warmroute_endpoints gauge\nwarmroute_endpoints 3\n# TYPE warmroute_endpoints_down gauge\nwarmroute_endpoints_down 1\n"
	for _, c := range []struct{ page, want, not string }{
		{head, "endpoints that are down: 1", "it has been down"},
		{head + "# TYPE warmroute_endpoint_down_since_timestamp_seconds gauge\n" +
			`warmroute_endpoint_down_since_timestamp_seconds{endpoint="10.0.0.1:8000",reason="silent",pool="orchard"} 940` + "\n" +
			`warmroute_endpoint_down_since_timestamp_seconds{endpoint="10.0.0.2:8000",reason="failing",pool="orchard"} 0` + "\n",
			"endpoint 10.0.0.1:8000 of the pool orchard it has been down for 60 s: silent", "10.0.0.2"},
	} {
		page, err := promtext.Read([]byte(c.page))
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for _, f := range Judge(page, time.Unix(1000, 0)) {
			fmt.Fprintln(&text, f.Where, f.What, f.Cure)
		}
		if got := text.String(); !strings.Contains(got, c.want) || strings.Contains(got, c.not) {
			t.Errorf("got %q, want %q and not %q", got, c.want, c.not)
		}
	}
}
