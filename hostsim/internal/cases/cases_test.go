package cases

import (
	"testing"

	"warmroute/hostsim/internal/trace"
)

func TestLeagueCasesAreDrawn(t *testing.T) {
	names := map[string]bool{}
	for i := range All {
		c := &All[i]
		if names[c.ID] {
			t.Errorf("two cases are called %s", c.ID)
		}
		names[c.ID] = true
		if c.Published || c.ID == "overload" || c.ID == "usual-64" {
			continue // the others are drawn in a moment
		}
		one, err := c.Options("", 1)
		if err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		other, err := c.Options("", 2)
		if err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		if len(one.Trace.Requests) == 0 || same(one.Trace, other.Trace) {
			t.Errorf("%s: %d requests; seeds 1 and 2 the same: %v", c.ID, len(one.Trace.Requests), same(one.Trace, other.Trace))
		}
	}
}

func same(a, b *trace.Trace) bool {
	for i := range min(len(a.Requests), len(b.Requests)) {
		if a.Requests[i].At != b.Requests[i].At || a.Requests[i].InputTokens != b.Requests[i].InputTokens {
			return false
		}
	}
	return len(a.Requests) == len(b.Requests)
}
