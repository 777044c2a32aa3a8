//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// lastRoute is the route of a virtual host that takes all requests; before it endpoint.yaml has the switch.
func lastRoute(host map[string]any) map[string]any {
	routes := host["routes"].([]any)
	return routes[len(routes)-1].(map[string]any)
}

// The example's switch leaves the choice to Envoy from one request to the next, on connections that are open too, and gives it back.
func TestSwitchedOff(t *testing.T) {
	s := launch(t, "endpoint", nil)
	ask := func(n int) (steered int) {
		t.Helper()
		for range n {
			r := s.post(t, "/v1/chat/completions", chat("S", "U", nil))
			if r.status != 200 {
				t.Fatalf("status %d", r.status)
			}
			if r.decision["endpoint"] != "" {
				steered++
			}
		}
		return steered
	}
	turn := func(value string) {
		t.Helper()
		r, err := http.Post(s.Admin+"/runtime_modify?warmroute.off="+value, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if _ = r.Body.Close(); r.StatusCode != 200 {
			t.Fatalf("the admin interface answers %d", r.StatusCode)
		}
	}
	for _, c := range []struct {
		value       string
		least, most int
	}{{"0", 20, 20}, {"100", 0, 0}, {"50", 1, 19}, {"", 20, 20}} {
		turn(c.value)
		eventually(t, "warmroute.off="+c.value+" counts", func() bool { n := ask(20); return n >= c.least && n <= c.most })
		said := strings.Contains(fmt.Sprint(s.examine(t)), "warmroute.off is")
		if want := c.least < 20; said != want {
			t.Errorf("warmroute.off=%s: the doctor says so: %v", c.value, said)
		}
	}
}
