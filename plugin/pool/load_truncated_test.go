package pool

import (
	"testing"

	"warmroute/plugin/exposition"
)

// A page that ended early may lack engines, whose counters are missed in its sums: the server has not restarted.
func TestTruncatedPagesShowNoRestart(t *testing.T) {
	p, now := believing(20)
	held, page := p.Index.Held(0), exposition.Load{Has: exposition.HasCacheQueries, CacheQueries: 2000}
	p.ApplyMetrics(0, now, &page)
	part := page
	part.CacheQueries, part.Truncated = 1000, true
	p.ApplyMetrics(0, now+second, &part)
	if got := p.Index.Held(0); got != held {
		t.Errorf("%d bytes are believed to be held, and %d were", got, held)
	}
	page.CacheQueries = 1500
	if p.ApplyMetrics(0, now+2*second, &page); p.Index.Held(0) != 0 {
		t.Error("what a server held is believed that has restarted since its last whole page")
	}
}
