package route

import (
	"math"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/exposition"
)

// Conversations have their homes by memory, where the default decides; other policies, which are there to compare it with, do not ask.
func TestHomesGoByMemory(t *testing.T) {
	const keys = 20_000
	for policy, want := range map[config.Policy]float64{
		config.PolicyCacheAware: 1. / 25, config.PolicyExpectedTTFT: 1. / 4, config.PolicyPrefixHash: 1. / 4, config.PolicySessionAffinity: 1. / 4, config.PolicyPrefixKey: 1. / 4,
	} {
		r := routerOf(policy, 4)
		for i, tokens := range []float64{1 << 20, 1 << 18, 1 << 20, 1 << 20} { // 1 ÷ 8 of the places
			r.ApplyMetrics(i, 1, &exposition.Load{Has: tellsMemory, KVTokens: tokens})
		}
		r.Pick(&decision.Request{Prompt: chat(1, 2), Now: 2}, new(decision.Decision))
		homes := 0
		for k := range uint64(keys) {
			if r.view.home(k*0x9e3779b97f4a7c15) == 1 {
				homes++
			}
		}
		if got := float64(homes) / keys; math.Abs(got/want-1) > 0.3 {
			t.Errorf("%v: an endpoint with a quarter of the memory is the home of %.3f of the conversations, want %.3f", policy, got, want)
		}
	}
}
