package route

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/pool"
)

// An endpoint that answers without computing comes last for new prompts, whatever the policy; for those that it holds too, once it answers
// none.
func TestBarrenEndpointsComeLast(t *testing.T) {
	for _, p := range []config.Policy{config.PolicyCacheAware, config.PolicyExpectedTTFT, config.PolicyJoinShortestQueue, config.PolicyPowerOfTwo, config.PolicyRoundRobin, config.PolicyRandom} {
		t.Run(p.String(), func(t *testing.T) {
			r := newRig(setup{policy: p, replicas: 3}.config(), 1)
			now, reasons := second, map[decision.Reason]int{}
			ask := func(session int, mute bool) (at int) {
				d := new(decision.Decision)
				r.Pick(&decision.Request{Prompt: chat(session, 20), Now: now}, d)
				reasons[d.Reason]++
				r.begin(d, now)
				if at = d.Order[0]; at == 0 && mute {
					r.end(d, now, pool.Outcome{Lost: true})
				} else {
					r.end(d, now, pool.Outcome{Usage: true, PromptTokens: 700, CachedTokens: d.Matched * 16})
				}
				now += second / 4
				r.Tick(now)
				return at
			}
			var held []int // sessions of endpoint 0
			for session := range 30 {
				if ask(session, false) == 0 {
					held = append(held, session)
				}
			}
			n := 0
			for session := range 300 {
				if ask(100+session, true) == 0 && session >= 100 {
					n++
				}
			}
			if n > 20 {
				t.Errorf("%d of 200 new prompts go there", n)
			}
			if p == config.PolicyCacheAware && (reasons[decision.Barren] < 100 || reasons[decision.Bounded] > 0) {
				t.Errorf("the reasons are %v; want that it is barren, and not that it is at its bound", reasons)
			}
			n = 0
			for _, session := range held {
				if ask(session, true) == 0 {
					n++
				}
			}
			if p == config.PolicyCacheAware && (len(held) < 5 || n > 2) {
				t.Errorf("%d of %d prompts that it holds go there", n, len(held))
			}
		})
	}
}

// One that answers what it holds, and refuses new prompts (those of one model, say), keeps what it holds.
func TestBarrenEndpointsKeepWhatTheyAnswer(t *testing.T) {
	r := newRig(setup{policy: config.PolicyCacheAware, replicas: 3}.config(), 1)
	now, home := second, -1
	ask := func(session, turns int, mute bool) (at int) {
		d := new(decision.Decision)
		r.Pick(&decision.Request{Prompt: chat(session, turns), Now: now}, d)
		r.begin(d, now)
		if at = d.Order[0]; at == home && mute {
			r.end(d, now, pool.Outcome{Lost: true})
		} else {
			r.end(d, now, pool.Outcome{Usage: true, PromptTokens: 35 * turns, CachedTokens: d.Matched * 16})
		}
		now += second / 4
		r.Tick(now)
		return at
	}
	home = ask(1, 100, false)
	kept, drawn := 0, 0
	for n := range 200 {
		if ask(1000+n, 20, true) == home {
			drawn++
		}
		if ask(1, 101+n, false) == home {
			kept++
		}
	}
	if drawn > 20 || kept < 190 {
		t.Errorf("it gets %d of 200 new prompts, and %d of 200 turns that it holds; want few, and nearly all", drawn, kept)
	}
}
