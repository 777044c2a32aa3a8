//go:build e2e

package e2e

import (
	"strings"
	"testing"
	"time"
)

// Endpoints leave while no request comes, as where idle replicas are scaled down: their number is shown, and no metrics of those that left as old.
// Where none is listed any more, the last are down for a minute, and then gone.
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
	eventually(t, "two are down", func() bool { return strings.Count(s.Log(), "is down (unhealthy)") >= 2 }) // the gauge says so with the next decision
	time.Sleep(60 * time.Second)
	eventually(t, "none is shown", func() bool { return s.stat(t, "warmroute_endpoints{") == 0 && len(s.shown(t, "", read)) == 0 })
	hosts.write(t, map[string]string{address[1]: "HEALTHY"})
	eventually(t, "one is shown", func() bool { return s.stat(t, "warmroute_endpoints{") == 1 })
}

// A list of endpoints that is empty for some seconds, as where a probe has failed at each, takes nothing that is known of their caches. Each of the
// two workers may decide its first request by what it knew last.
func TestAnEmptyListForAMoment(t *testing.T) {
	t.Parallel()
	s, hosts, address := launchDiscovered(t, 2, 0, 1, 2)
	s.steered(t, 3)
	all := map[string]string{}
	for _, a := range address {
		all[a] = "HEALTHY"
	}
	const n = 12
	s.where(t, n)
	homes := s.where(t, n)
	hosts.write(t, nil)
	eventually(t, "all are down", func() bool { return strings.Count(s.Log(), "is down (unhealthy)") >= 3 })
	time.Sleep(2 * time.Second)
	hosts.write(t, all)
	time.Sleep(4 * time.Second)
	kept := 0
	for i := range n {
		r := s.post(t, "/v1/chat/completions", chat(story(i), "Where?", nil))
		if r.status == 200 && r.replica == homes[i] && r.decision["matched"] == r.decision["blocks"] {
			kept++
		} else {
			t.Logf("story %d: status %d, answered by %s, before by %s; decided %v", i, r.status, r.replica, homes[i], r.decision)
		}
	}
	if kept < n-2 {
		t.Errorf("%d of %d prompts are found where they were, want all but one for each worker", kept, n)
	}
}
