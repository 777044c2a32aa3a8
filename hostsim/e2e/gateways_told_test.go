//go:build e2e

package e2e

import (
	"testing"
	"time"
)

// What a gateway routes the others know at once, however rarely they ask: an ask waits for it, and the worker that routes wakes the
// one that holds the ask.
func TestNewsComeAtOnce(t *testing.T) {
	t.Parallel()
	m := launchMeshWith(t, 2, 2, map[string]any{"cluster": "gateways", "interval": "1s"}, pool(t))
	const each = 10
	best, n := 0, 0
	for began := time.Now(); time.Since(began) < 30*time.Second; { // until the machine has time for all that a proxy does between two requests
		known := 0
		for range each {
			n++
			m.stacks[n%2].post(t, "/v1/chat/completions", chat(story(n), "go on", nil))
			d := m.stacks[1-n%2].post(t, "/v1/chat/completions", chat(story(n), "and then?", nil))
			if d.decision["matched"] != "" && d.decision["matched"] != "0" {
				known++
			}
		}
		t.Logf("%d of %d prompts were known to the other gateway right after their first answer", known, each)
		if best = max(best, known); best >= each*8/10 {
			return
		}
	}
	t.Errorf("at most %d of %d prompts were known to the other gateway: news wait for ticks, or for asks", best, each)
}
