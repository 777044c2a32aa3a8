package route

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/health"
	"warmroute/plugin/pool"
)

// The same prompt again and again, and a conversation that grows fast, stay where they are if there is nothing else: to
// move them evens out less than it costs.
func TestAloneStays(t *testing.T) {
	for _, replicas := range []int{2, 3, 8} {
		for _, every := range []int64{second / 20, second / 2, 5 * second} {
			for _, grows := range []int{0, 1, 8} {
				r := newRig(setup{policy: config.PolicyCacheAware, replicas: replicas}.config(), 1)
				home := -1
				for turn := range 200 {
					now, blocks := second+int64(turn)*every, 16+grows*turn
					d := new(decision.Decision)
					r.Pick(&decision.Request{Prompt: chat(1, blocks), Now: now}, d)
					r.begin(d, now)
					r.end(d, now+every/2, pool.Outcome{Ending: health.Answered, Usage: true, PromptTokens: blocks*64 + 20, CachedTokens: d.Chain.Covered(d.Matched)})
					if turn > 0 && d.Order[0] != home {
						t.Fatalf("%d replicas, every %v ms, %d blocks a turn: turn %d goes to %d, the one before to %d", replicas, every/1e6, grows, turn, d.Order[0], home)
					}
					home = d.Order[0]
				}
			}
		}
	}
}

// In an idle pool a conversation stays where it is, however large its share of what was given.
func TestIdlePoolKeepsConversations(t *testing.T) {
	for _, replicas := range []int{2, 8, 64} {
		r := newRig(setup{policy: config.PolicyCacheAware, replicas: replicas}.config(), 1)
		home := -1
		for turn := range 12 {
			now := int64(turn+1) * 5 * second
			d := new(decision.Decision)
			r.Pick(&decision.Request{Prompt: chat(1, 8*(turn+1)), Now: now}, d)
			r.begin(d, now)
			r.end(d, now+second, pool.Outcome{Ending: health.Answered})
			if turn > 2 && d.Order[0] != home {
				t.Errorf("%d replicas: turn %d goes to %d, the one before to %d", replicas, turn, d.Order[0], home)
			}
			home = d.Order[0]
		}
	}
}
