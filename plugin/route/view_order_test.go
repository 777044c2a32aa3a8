package route

import (
	"math"
	"slices"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/models"
)

// Costs without an end, which none should have, are the last, and no trap.
func TestEndlessCosts(t *testing.T) {
	v := &routerOf(config.PolicyCacheAware, 4).view
	v.look(second, nil, new(decision.Decision))
	for name, c := range map[string]struct{ costs, want []float64 }{
		"all": {[]float64{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)}, []float64{math.Inf(1), math.Inf(1), math.Inf(1)}},
		"two": {[]float64{math.Inf(1), 2, math.Inf(1), 1}, []float64{1, 2, math.Inf(1)}},
	} {
		copy(v.cost, c.costs)
		var got []float64
		for _, i := range v.cheapest(well, 3, 0) {
			got = append(got, v.cost[i])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v are the cheapest, want %v", name, got, c.want)
		}
	}
}

// A shadow's pool follows the live one by a tick, so that it may not have yet the endpoints that serve a model. Costs are numbers even so.
func TestServersThatAreNotThereYet(t *testing.T) {
	boundedPolicies(t, func(t *testing.T, p config.Policy) {
		live, shadow := routerOf(p, 3), routerOf(p, 2)
		for i, name := range []string{"other", "other", "m"} {
			live.SetModels(i, []models.Model{models.Of([]byte(name), false)})
		}
		shadow.CopyLearned(live.Pool, second)
		d := new(decision.Decision)
		for i := range 3 {
			now := second + int64(i)
			shadow.Pick(&decision.Request{Prompt: chat(1, 20), Model: []byte("m"), Now: now}, d)
			shadow.begin(d, now)
		}
		for _, term := range d.Terms {
			if math.IsNaN(term.Value) || math.IsInf(term.Value, 0) {
				t.Errorf("%s is %v", term.Name, term.Value)
			}
		}
	})
}
