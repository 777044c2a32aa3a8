package route

import (
	"math/rand/v2"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/health"
)

// An endpoint that was away for half an hour, in whatever way, gets its share when it is back, and is not flooded until
// it has made up for what it missed. (The ring's policies know no load, and one at random no past.)
func TestWhoComesBackIsNotFlooded(t *testing.T) {
	const victim, away = 2, 1800 * second
	for _, p := range []config.Policy{config.PolicyLRUMatch, config.PolicyCacheAware, config.PolicyExpectedTTFT} {
		for name, way := range map[string][2]func(r rig, now int64){
			"out":      {func(r rig, now int64) { r.SetState(victim, true, false, now) }, func(r rig, now int64) { r.SetState(victim, false, false, now) }},
			"draining": {func(r rig, now int64) { r.SetState(victim, false, true, now) }, func(r rig, now int64) { r.SetState(victim, false, false, now) }},
			"down": {
				func(r rig, now int64) {
					for range 9 {
						r.answer(victim, now, health.Failed)
					}
					r.SetState(victim, true, false, now) // no probes
				},
				func(r rig, now int64) { r.SetState(victim, false, false, now) },
			},
		} {
			t.Run(p.String()+" "+name, func(t *testing.T) {
				r, random := newRig(setup{policy: p, replicas: 4, change: func(c *config.Config) { c.PrefixHash.PrefixChars = 384 }}.config(), 42), rand.New(rand.NewPCG(5, 5))
				now := second
				run(r, random, now, 4000, nil)
				now += 200 * second
				way[0](r, now)
				for ; now < away; now += 200 * second {
					run(r, random, now, 4000, nil)
				}
				way[1](r, now)
				got := 0
				for _, e := range run(r, random, now, 400, nil) {
					if e == victim {
						got++
					}
				}
				if got < 40 || got > 200 {
					t.Errorf("back again it got %d of the next 400 requests; fair are 100", got)
				}
			})
		}
	}
}
