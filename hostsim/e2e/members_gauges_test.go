//go:build e2e

package e2e

import (
	"testing"
	"time"
)

// Endpoints leave while no request comes, as where idle replicas are scaled down: their number is shown, down to none, and no metrics of those
// that left as old.
func TestMembersAreShownAtRest(t *testing.T) {
	t.Parallel()
	s, hosts, address := launchDiscovered(t, 2, 0, 1, 2)
	s.steered(t, 3)
	const read = "warmroute_last_scrape_timestamp_seconds"
	eventually(t, "all metrics are read", func() bool { return len(s.shown(t, "", read)) == 3 })
	time.Sleep(1500 * time.Millisecond) // until what the last request made known is shown
	eventually(t, "three are shown", func() bool { return s.stat(t, "warmroute_endpoints{") == 3 })
	hosts.write(t, map[string]string{address[0]: "HEALTHY", address[1]: "HEALTHY"})
	eventually(t, "two are shown", func() bool {
		return s.stat(t, "warmroute_endpoints{") == 2 && len(s.shown(t, address[2], read)) == 0
	})
	hosts.write(t, nil)
	eventually(t, "none is shown", func() bool { return s.stat(t, "warmroute_endpoints{") == 0 && len(s.shown(t, "", read)) == 0 })
	hosts.write(t, map[string]string{address[1]: "HEALTHY"})
	eventually(t, "one is shown", func() bool { return s.stat(t, "warmroute_endpoints{") == 1 })
}
