package route

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/pool"
)

// A client whose bad requests go to one endpoint, because the ring decides between equals in an idle pool, or because it holds their beginning,
// does not make that endpoint come after the others, nor the next that they go to.
func TestOneClientsBadRequestsMakeNoneBarren(t *testing.T) {
	for _, p := range []config.Policy{config.PolicyCacheAware, config.PolicyExpectedTTFT, config.PolicyJoinShortestQueue, config.PolicyRoundRobin, config.PolicyPrefixHash, config.PolicySessionAffinity} {
		for _, of := range []struct {
			name string
			bad  func(n int) (session, turns int)
		}{
			{"one prompt", func(int) (int, int) { return 9000, 20 }},
			{"one beginning", func(n int) (int, int) { return 9000, 20 + n%50 }},
			{"many", func(n int) (int, int) { return 9000 + n, 20 }},
			{"short", func(int) (int, int) { return 9000, 1 }},
		} {
			t.Run(p.String()+", "+of.name, func(t *testing.T) {
				r := newRig(setup{policy: p, replicas: 4}.config(), 1)
				now := second
				ask := func(session, turns int, o pool.Outcome) {
					d := new(decision.Decision)
					r.Pick(&decision.Request{Prompt: chat(session, turns), Now: now}, d)
					r.begin(d, now)
					o.CachedTokens = min(o.PromptTokens, d.Matched*16)
					r.end(d, now+1e6, o)
				}
				ask(9000, 20, pool.Outcome{Usage: true, PromptTokens: 700})
				for n := range 600 {
					now += second / 2
					ask(n, 20, pool.Outcome{Usage: true, PromptTokens: 700})
					for b := range 20 {
						now += 1e6
						session, turns := of.bad(20*n + b)
						ask(session, turns, pool.Outcome{Lost: true})
					}
					r.Tick(now)
					for i, s := range r.Look(now) {
						if s.Class != pool.Well {
							t.Fatalf("endpoint %d is not well after %d good requests", i, n)
						}
					}
				}
			})
		}
	}
}
