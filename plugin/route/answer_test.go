package route

import (
	"math"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/load"
)

// decide picks and begins one request.
func decide(r *Router, session, turns int, now int64) *Decision {
	d := new(Decision)
	r.Pick(&Request{Prompt: chat(session, turns), Now: now}, d)
	r.Begin(d, now)
	return d
}

func atRest(t *testing.T, r *Router, now int64) {
	t.Helper()
	for i := range r.Endpoints {
		if r.Load.InFlight(i) != 0 || r.Load.Queued(i, now) != 0 {
			t.Errorf("endpoint %d at rest: %d in flight, %v tokens queued", i, r.Load.InFlight(i), r.Load.Queued(i, now))
		}
	}
}

func TestEveryWayToEndLeavesNothingBehind(t *testing.T) {
	for name, rest := range map[string]func(r *Router, d *Decision){
		"at once":         func(*Router, *Decision) {},
		"first token":     func(r *Router, d *Decision) { r.FirstToken(d, 2*second); r.FirstToken(d, 3*second) },
		"another":         func(r *Router, d *Decision) { r.Served(d, d.Order[1], 2*second) },
		"another, talks":  func(r *Router, d *Decision) { r.Moved(d, d.Order[2], 2*second); r.FirstToken(d, 3*second) },
		"the same":        func(r *Router, d *Decision) { r.Served(d, d.Order[0], 2*second) },
		"late to another": func(r *Router, d *Decision) { r.FirstToken(d, 2*second); r.Served(d, d.Order[1], 3*second) },
	} {
		for _, how := range []load.Ending{load.Answered, load.Cancelled, load.Failed, load.Refused, load.TimedOut, load.Broken} {
			r := routerOf(config.PolicyExpectedTTFT, 3)
			d := decide(r, 1, 5, second)
			rest(r, d)
			r.Answered(d, 9*second, Outcome{Ending: how, Usage: true, PromptTokens: 100})
			r.Answered(d, 9*second, Outcome{Ending: how})
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
		d := decide(r, 1, 5, second)
		if n > 0 && d.Order[0] != bad {
			break
		}
		bad = d.Order[0]
		r.Served(d, d.Order[1], second)
		r.Answered(d, 2*second, Outcome{})
	}
	if !r.Load.Down(bad) || r.Index.Held(bad) != 0 {
		t.Errorf("after retries: down %v, believed to hold %d blocks; want true, 0", r.Load.Down(bad), r.Index.Held(bad))
	}
	if d := decide(r, 1, 5, second); d.Order[0] == bad || d.Reason != HomeAway || r.Load.Down(d.Order[0]) {
		t.Errorf("then %v, %v", d.Order, d.Reason)
	}
}

func TestATokensBytesAreLearned(t *testing.T) {
	r := routerOf(config.PolicyExpectedTTFT, 2)
	for range 60 {
		d := decide(r, 1, 10, second)
		r.Answered(d, second, Outcome{Usage: true, PromptTokens: d.bytes / 3})
	}
	if got := r.tokens.latest(); math.Abs(got-3) > 0.1 {
		t.Errorf("%v bytes a token, want 3", got)
	}
	if got := decide(r, 2, 10, second); math.Abs(got.promptTokens-float64(got.bytes)/3) > 30 {
		t.Errorf("a prompt of %d bytes is taken for %v tokens", got.bytes, got.promptTokens)
	}
}

func TestModelsAreToldApartAndBounded(t *testing.T) {
	var models tokens
	for m := range 40 {
		models.learn(uint64(m+100), 1000*(m+1), 1000)
	}
	if got := models.bytesPerToken(139); got != 40 {
		t.Errorf("the last model: %v bytes a token, want 40", got)
	}
	if got := models.bytesPerToken(100); got != usualBytes {
		t.Errorf("a forgotten model: %v bytes a token, want %v", got, usualBytes)
	}
}

// A cache that turns out to hold less than its server says is taken for smaller, and grows again as beliefs come true.
func TestCachesAreFoundOut(t *testing.T) {
	r := routerOf(config.PolicyExpectedTTFT, 1)
	r.SetCache(0, 1000*textBlock/usualBytes)
	if got, _ := r.Index.Capacity(0); got != 1000*textBlock {
		t.Fatalf("capacity %d bytes, want %d", got, 1000*textBlock)
	}
	now := second
	for session := range 40 { // 1,536 bytes each in 18 blocks, 256 of them shared
		d := decide(r, session, 10, now)
		r.Answered(d, now, Outcome{Usage: true, PromptTokens: 384, CachedTokens: d.Chain.Covered(d.Matched) / usualBytes})
		now += 10 * second
	}
	d := decide(r, 20, 10, now)
	if d.Matched != 18 {
		t.Fatalf("matched %d, want 18", d.Matched)
	}
	r.Answered(d, now, Outcome{Usage: true, PromptTokens: 384, CachedTokens: 64}) // the system prompt only
	small, _ := r.Index.Capacity(0)
	if small > 500*textBlock {
		t.Errorf("what was given 20 sessions ago has gone, and the capacity is taken for %d of %d", small, 1000*textBlock)
	}
	for range 10 {
		now += 10 * second
		d := decide(r, 20, 10, now)
		r.Answered(d, now, Outcome{Usage: true, PromptTokens: 384, CachedTokens: 383})
	}
	if got, _ := r.Index.Capacity(0); got <= small || got > 1000*textBlock {
		t.Errorf("after ten beliefs that came true: %d, before %d", got, small)
	}
}

func TestEndings(t *testing.T) {
	for status, want := range map[int]load.Ending{
		200: load.Answered, 400: load.Answered, 429: load.Answered, 500: load.Failed, 501: load.Failed,
		502: load.Refused, 503: load.Refused, 504: load.TimedOut, 0: load.Answered,
	} {
		if got := EndingOf(status); got != want {
			t.Errorf("status %d: ending %d, want %d", status, got, want)
		}
	}
}
