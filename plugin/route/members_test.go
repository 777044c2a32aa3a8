package route

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/health"
	"warmroute/plugin/pool"
)

// What requests of an endpoint that has left tell, as they break off one by one, says nothing of the one that takes its index.
func TestWhoReturnsIsNew(t *testing.T) {
	r := routerOf(config.PolicyCacheAware, 2)
	var open []*decision.Decision
	for session := range 40 {
		if d := decide(r, session, 5, second); d.Order[0] == 0 {
			open = append(open, d)
		}
	}
	r.SetCache(0, 500)
	r.Remove(0)
	for i, d := range open {
		if i < 3 {
			r.TrueHit(0, 100, true)
			r.end(d, 2*second, pool.Outcome{Usage: true, PromptTokens: 100, CachedTokens: 50})
		} else {
			r.end(d, 2*second, pool.Outcome{Ending: health.Failed})
		}
	}
	r.Place(0, config.Endpoint{Address: "10.0.0.9:80", Weight: 1}, 3*second)
	if len(open) < 9 || r.Health.Down(0) || r.Health.Failing(0, 3*second) != 0 {
		t.Errorf("after %d requests of the one before: down %v, failing %v", len(open), r.Health.Down(0), r.Health.Failing(0, 3*second))
	}
	if held := r.Index.Held(0); held != 0 {
		t.Errorf("a new endpoint is believed to hold %d blocks", held)
	}
	if r.TrueHit(0, 100, false) {
		t.Error("a new endpoint is believed to tell of true hits")
	}
}
