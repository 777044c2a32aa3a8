package route

import (
	"fmt"
	"slices"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/exposition"
)

// Where all cost the same, the default takes endpoints in proportion to the places that their memory gives them on the ring; other policies, which
// are there to compare it with, do not ask.
func TestPlacesGoByMemory(t *testing.T) {
	const prompts = 400
	for policy, byMemory := range map[config.Policy]bool{
		config.PolicyCacheAware: true, config.PolicyExpectedTTFT: false, config.PolicyPrefixHash: false, config.PolicySessionAffinity: false, config.PolicyPrefixKey: false,
	} {
		var firsts [2][]int
		for k, small := range []float64{1e9, 1e8} {
			r := routerOf(policy, 4)
			for i, tokens := range []float64{1e9, small, 1e9, 1e9} {
				r.ApplyMetrics(i, 1, &exposition.Load{Has: tellsMemory, KVTokens: tokens})
			}
			for n := range prompts {
				d := new(decision.Decision)
				r.Pick(&decision.Request{Prompt: chat(n, 8), Session: fmt.Append(nil, n), Now: 2}, d)
				firsts[k] = append(firsts[k], d.Order[0])
			}
		}
		of := func(k int) (n int) {
			for _, first := range firsts[k] {
				if first == 1 {
					n++
				}
			}
			return n
		}
		if before, after := of(0), of(1); byMemory && (before < prompts/6 || after > before/5) || !byMemory && !slices.Equal(firsts[0], firsts[1]) {
			t.Errorf("%v: an endpoint gets %d of %d prompts, and %d if it has a tenth of the memory", policy, before, prompts, after)
		}
	}
}
