package doctor

import (
	"fmt"
	"strings"
	"testing"
)

// Two filters that route in one chain are named; one that is off there, and on for a route, is none.
func TestTwoFiltersThatRoute(t *testing.T) {
	text := example(t, "endpoint")
	from, to := strings.Index(text, "          - name: warmroute\n"), strings.Index(text, "          - name: envoy.filters.http.router\n")
	filter := text[from:to]
	for again, want := range map[string]bool{
		filter: true,
		strings.Replace(filter, "typed_config:", "disabled: true\n            typed_config:", 1): false,
		strings.Replace(filter, `"policy": "cache_aware",`, `"role": "gate",`, 1):                false,
	} {
		all := judge(t, text[:to]+again+text[to:])
		if got := strings.Contains(fmt.Sprint(all), "its filters warmroute, warmroute all route"); got != want {
			t.Errorf("named: %v, want %v: %+v", got, want, all)
		}
	}
}
