package route

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/health"
	"warmroute/plugin/pool"
)

// decide picks and begins one request.
func decide(r rig, session, turns int, now int64) *decision.Decision {
	d := new(decision.Decision)
	r.Pick(&decision.Request{Prompt: chat(session, turns), Now: now}, d)
	r.begin(d, now)
	return d
}

func atRest(t *testing.T, r rig, now int64) {
	t.Helper()
	for i := range r.Endpoints {
		if r.InFlight(i) != 0 || r.Queue(i, now) != 0 {
			t.Errorf("endpoint %d at rest: %d in flight, %v tokens queued", i, r.InFlight(i), r.Queue(i, now))
		}
	}
}

func TestEveryWayToEndLeavesNothingBehind(t *testing.T) {
	for name, rest := range map[string]func(r rig, d *decision.Decision){
		"at once":         func(rig, *decision.Decision) {},
		"first token":     func(r rig, d *decision.Decision) { r.firstToken(d, 2*second); r.firstToken(d, 3*second) },
		"another":         func(r rig, d *decision.Decision) { r.served(d, d.Order[1], 2*second) },
		"another, talks":  func(r rig, d *decision.Decision) { r.moved(d, d.Order[2], 2*second); r.firstToken(d, 3*second) },
		"the same":        func(r rig, d *decision.Decision) { r.served(d, d.Order[0], 2*second) },
		"late to another": func(r rig, d *decision.Decision) { r.firstToken(d, 2*second); r.served(d, d.Order[1], 3*second) },
	} {
		for _, how := range []health.Ending{health.Answered, health.Cancelled, health.Failed, health.Refused, health.TimedOut, health.Broken} {
			r := routerOf(config.PolicyExpectedTTFT, 3)
			d := decide(r, 1, 5, second)
			rest(r, d)
			r.end(d, 9*second, pool.Outcome{Ending: how, Usage: true, PromptTokens: 100})
			r.end(d, 9*second, pool.Outcome{Ending: how})
			if atRest(t, r, 9*second); t.Failed() {
				t.Fatalf("%s, ending %d", name, how)
			}
		}
	}
}

func TestTriesBeforeTheServerHaveFailed(t *testing.T) {
	r := routerOf(config.PolicySessionAffinity, 3)
	var bad int
	for n := range 3 {
		now := int64(n+1) * second
		d := decide(r, 1, 5+20*n, now) // another prompt each time
		if n > 0 && d.Order[0] != bad {
			t.Fatalf("after %d failed tries it goes to %v", n, d.Order)
		}
		bad = d.Order[0]
		r.served(d, d.Order[1], now)
		r.end(d, now, pool.Outcome{})
	}
	if !r.Health.Down(bad) || r.Index.Held(bad) != 0 {
		t.Errorf("after retries: down %v, believed to hold %d blocks; want true, 0", r.Health.Down(bad), r.Index.Held(bad))
	}
	if d := decide(r, 1, 5, 3*second); d.Order[0] == bad || d.Reason != decision.HomeAway || r.Health.Down(d.Order[0]) {
		t.Errorf("then %v, %v", d.Order, d.Reason)
	}
}

// A cache that turns out to hold less than its server says is taken for smaller, and grows again as beliefs come true.
func TestCachesAreFoundOut(t *testing.T) {
	r := routerOf(config.PolicyExpectedTTFT, 1)
	r.SetCache(0, 1000*textBlock/4)
	if got, _ := r.Index.Capacity(0); got != 1000*textBlock {
		t.Fatalf("capacity %d bytes, want %d", got, 1000*textBlock)
	}
	now := second
	for session := range 40 { // 1,536 bytes each in 18 blocks, 256 of them shared
		d := decide(r, session, 10, now)
		r.end(d, now, pool.Outcome{Usage: true, PromptTokens: 384, CachedTokens: d.Chain.Covered(d.Matched) / 4})
		now += 10 * second
	}
	for _, session := range []int{20, 19} { // one response alone does not show it
		if got, _ := r.Index.Capacity(0); got != 1000*textBlock {
			t.Errorf("capacity %d bytes after one response, want %d", got, 1000*textBlock)
		}
		d := decide(r, session, 10, now)
		if d.Matched != 18 {
			t.Fatalf("matched %d, want 18", d.Matched)
		}
		r.end(d, now, pool.Outcome{Usage: true, PromptTokens: 384, CachedTokens: 64}) // the system prompt only
		now += 10 * second
	}
	small, _ := r.Index.Capacity(0)
	if small > 500*textBlock {
		t.Errorf("what was given 20 sessions ago has gone, and the capacity is taken for %d of %d", small, 1000*textBlock)
	}
	for range 10 {
		now += 10 * second
		d := decide(r, 20, 10, now)
		r.end(d, now, pool.Outcome{Usage: true, PromptTokens: 384, CachedTokens: 383})
	}
	if got, _ := r.Index.Capacity(0); got <= small || got > 1000*textBlock {
		t.Errorf("after ten beliefs that came true: %d, before %d", got, small)
	}
}
