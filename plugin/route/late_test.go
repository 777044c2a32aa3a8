package route

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/health"
	"warmroute/plugin/pool"
	"warmroute/plugin/prompt"
)

// A short prompt that waits far too long shows that something holds its endpoint up. Then the next goes elsewhere, though only few tokens are
// queued there and more must be computed again.
func TestLateEndpointsAreLeft(t *testing.T) {
	for _, c := range []struct {
		name   string
		late   int64
		leaves bool
	}{
		{"just sent", 0, false},
		{"late", 20 * second, true},
	} {
		r := newRig(setup{policy: config.PolicyCacheAware, replicas: 2}.config(), 1)
		now := second
		for i := range 40 { // a pool that is idle: a token takes 100 µs
			d := new(decision.Decision)
			r.Pick(&decision.Request{Prompt: chat(10+i, 64+i), Now: now}, d)
			r.Begin(&d.Flight, d.Order[0], now)
			took := int64(d.Tokens * 1e5)
			now += took
			r.firstToken(d, now)
			r.end(d, now, pool.Outcome{Ending: health.Answered, Usage: true, PromptTokens: int(d.Tokens), TTFT: took})
			now += second / 10
		}
		send := func(units int) *decision.Decision {
			d := new(decision.Decision)
			r.Pick(&decision.Request{Prompt: chat(1, units), Now: now}, d)
			r.Begin(&d.Flight, d.Order[0], now)
			return d
		}
		first := send(256)
		now += second
		r.firstToken(first, now)
		r.end(first, now, pool.Outcome{Ending: health.Answered})
		home := send(257).Order[0]
		now += c.late
		if got := send(258).Order[0]; (got == home) == c.leaves {
			t.Errorf("%s: it goes to endpoint %d, those before went to %d", c.name, got, home)
		}
	}
}

// One client that has three of four endpoints fetch images from a server which does not answer does not have all others' requests go to the
// fourth, nor one whose answers have grammars that take long.
func TestImagesThatAreNotGivenMakeNothingLate(t *testing.T) {
	for _, delay := range []func(of *prompt.Prompt){
		func(of *prompt.Prompt) { of.Media, of.Fetched = true, true },
		func(of *prompt.Prompt) { of.Grammar = true },
	} {
		testDelayedFirstTokens(t, delay)
	}
}

func testDelayedFirstTokens(t *testing.T, delay func(*prompt.Prompt)) {
	t.Helper()
	r := newRig(setup{policy: config.PolicyCacheAware, replicas: 4}.config(), 1)
	now, got := second, [4]int{}
	pick := func(of *prompt.Prompt) *decision.Decision {
		d := new(decision.Decision)
		r.Pick(&decision.Request{Prompt: of, Now: now}, d)
		r.begin(d, now)
		return d
	}
	for i := range 400 {
		if i == 100 {
			for n := range 3 {
				of := chat(1e6+n, 2)
				delay(of)
				pick(of)
			}
		}
		d := pick(chat(i%40, 40+4*(i/40)))
		took := int64(d.Uncached(d.Matched) * 1e5)
		now += took
		r.firstToken(d, now)
		r.end(d, now, pool.Outcome{Ending: health.Answered, Usage: true, PromptTokens: int(d.Tokens), CachedTokens: d.ExpectedTokens()})
		if now += second/2 - took; i >= 200 {
			got[d.Order[0]]++
		}
	}
	for i, n := range got {
		if n < 30 || n > 70 {
			t.Errorf("endpoint %d gets %d of 200 requests, want about 50", i, n)
		}
	}
}
