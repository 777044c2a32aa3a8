package route

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/health"
	"warmroute/plugin/pool"
)

// A prompt that was never computed (the client left, the server refused it) is in no cache: its return must not teach that
// the cache has let go of all that is older.
func TestWhatCameToNothingTeachesNothing(t *testing.T) {
	for name, end := range map[string]func(r rig, d *decision.Decision, now int64){
		"the client left at once": func(r rig, d *decision.Decision, now int64) {
			r.end(d, now-second/2+1e5, pool.Outcome{Ending: health.Cancelled, Lost: true, HungUp: true})
		},
		"status 400": func(r rig, d *decision.Decision, now int64) {
			r.end(d, now, pool.Outcome{Ending: health.Answered, Lost: true})
		},
		"another served it": func(r rig, d *decision.Decision, now int64) { r.moved(d, 1-d.Endpoint(), now) },
	} {
		t.Run(name, func(t *testing.T) {
			r := routerOf(config.PolicyCacheAware, 2)
			now := second
			for session := range 40 {
				d := decide(r, session, 10, now)
				r.end(d, now+second/2, pool.Outcome{Usage: true, PromptTokens: 384, CachedTokens: d.Matched * 16})
				now += 3 * second
			}
			before := [2]int64{r.Index.Held(0), r.Index.Held(1)}
			lost := decide(r, 99, 10, now)
			at := lost.Endpoint()
			end(r, lost, now+second/2)
			if got := r.Index.Held(at); got != before[at] {
				t.Errorf("%d blocks are believed to be held where nothing was computed, %d before", got, before[at])
			}
			now += 5 * second
			again := decide(r, 99, 10, now) // its first blocks are common property, and held
			cached := 64
			if again.Endpoint() != at {
				cached = again.Matched * 16
			}
			r.end(again, now+second/2, pool.Outcome{Usage: true, PromptTokens: 384, CachedTokens: cached})
			if got := r.Index.Held(again.Endpoint()); got < before[again.Endpoint()] {
				t.Errorf("when it came again, %d blocks are believed to be held there; %d before", got, before[again.Endpoint()])
			}
		})
	}
}

// What another request has renewed since stays.
func TestLostAmongOthers(t *testing.T) {
	r := routerOf(config.PolicyCacheAware, 1)
	lost := decide(r, 1, 10, second)
	longer := decide(r, 1, 12, 2*second)
	held := r.Index.Held(0)
	r.end(lost, 3*second, pool.Outcome{Ending: health.Cancelled, Lost: true})
	if got := r.Index.Held(0); got != held {
		t.Errorf("%d blocks held, want %d: the next turn is on its way", got, held)
	}
	r.end(longer, 4*second, pool.Outcome{})
}

// Work that was not done is no reason to keep away from an endpoint; what there was time for is.
func TestLostWork(t *testing.T) {
	r := routerOf(config.PolicyCacheAware, 1)
	d := decide(r, 1, 400, second)
	_, given := r.OwnWork(0, second)
	r.end(d, second+1e7, pool.Outcome{Ending: health.Cancelled, Lost: true}) // 10 ms: 100 tokens at the assumed rate
	if _, left := r.OwnWork(0, second+1e7); given < 1000 || left < 90 || left > 110 {
		t.Errorf("of %v tokens %v are left; want the 100 there was time for", given, left)
	}
}

// A body is taken for as long as its header says only within reason: it need never come.
func TestForgedLength(t *testing.T) {
	for _, policy := range []config.Policy{config.PolicyCacheAware, config.PolicyExpectedTTFT} {
		r := routerOf(policy, 2)
		now := second
		for session := range 20 { // everyday prompts of 12,800 tokens
			d := decide(r, session, 400, now)
			r.end(d, now+second, pool.Outcome{})
			now += second
		}
		forged := chat(99, 400)
		forged.Truncated, forged.BodyBytes = true, len(forged.Text)
		var d decision.Decision
		r.Pick(&decision.Request{Prompt: forged, Length: 1<<31 - 1, Now: now}, &d)
		r.begin(&d, now)
		if d.Tokens > 1<<18 {
			t.Errorf("%v: a prompt of %v tokens, as its header says; want at most %d", policy, d.Tokens, 1<<18)
		}
		r.end(&d, now+second, pool.Outcome{Ending: health.Cancelled, Lost: true})
		victim, got := d.Order[0], 0
		for session := range 20 {
			now += second
			d := decide(r, 200+session, 400, now)
			r.end(d, now+second, pool.Outcome{})
			if d.Order[0] == victim {
				got++
			}
		}
		if got < 5 {
			t.Errorf("%v: the endpoint that the forged request was at got %d of the next 20", policy, got)
		}
	}
}
