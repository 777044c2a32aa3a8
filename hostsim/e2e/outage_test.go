//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// An endpoint that goes down is named with the reason, in the log, the metrics and by doctor, though retries answer every request; and
// so is its return.
func TestOutageIsNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		begin, end func(r *replica)
	}{
		{"killed", func(r *replica) { r.kill() }, func(r *replica) { r.revive(t) }},
		{"resets connections", func(r *replica) { r.set(resets) }, func(r *replica) { r.set(answers) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, list := launchReplicas(t, "endpoint", 3, false, nil)
			at, n := list[1], 0
			says := func(text string) bool { // after one more request
				n++
				if r := s.post(t, "/v1/chat/completions", chat(story(n), "Who?", nil)); r.status != 200 {
					t.Fatalf("request %d: status %d", n, r.status)
				}
				return strings.Contains(s.Log(), text)
			}
			since := func() float64 { // seconds for which it is shown to be down; 0: it is not
				text, err := s.Get("/stats/prometheus")
				if err != nil {
					t.Fatal(err)
				}
				for line := range strings.Lines(text) {
					var value float64
					if strings.HasPrefix(line, "warmroute_endpoint_down_since_timestamp_seconds{") && strings.Contains(line, at.address) && strings.Contains(line, `reason="failing"`) {
						if _, err := fmt.Sscan(line[strings.LastIndexByte(line, ' ')+1:], &value); err != nil {
							t.Fatal(err)
						}
						if value != 0 {
							return float64(time.Now().Unix()) - value + 1
						}
					}
				}
				return 0
			}
			says("")
			c.begin(at)
			eventually(t, "the log says which endpoint is down, and why", func() bool {
				return says("endpoint " + at.address + " is down (failing)")
			})
			eventually(t, "a metric says since when", func() bool { return since() >= 1 && since() < 60 })
			if !s.asPromised(t)["warmroute_endpoint_down_since_timestamp_seconds"] {
				t.Error("the metric is not as docs/metrics.md promises")
			}
			if text := fmt.Sprintf("%+v", s.examine(t)); !strings.Contains(text, "endpoint "+at.address) || !strings.Contains(text, "failing") {
				t.Errorf("doctor does not name %s: %s", at.address, text)
			}
			c.end(at)
			eventually(t, "the log says that it is up again", func() bool { return says("endpoint " + at.address + " is up again after") })
			eventually(t, "the metric is 0", func() bool { return says("") && since() == 0 })
			for _, r := range list {
				if r != at && strings.Contains(s.Log(), "endpoint "+r.address+" is down") {
					t.Errorf("%s is said to be down, and never was", r.address)
				}
			}
		})
	}
}
