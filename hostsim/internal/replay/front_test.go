package replay

import (
	"strings"
	"testing"
	"time"
)

// Outside its engine, a request alone takes exactly what the front end is given, and requests at once wait for each other there.
func TestFrontEnd(t *testing.T) {
	with := func(f FrontEnd, cores float64) *Result {
		o := replayOptions(t, "round_robin")
		o.FrontEnd, o.Cores, o.Detail = f, cores, true
		return result(t, o)
	}
	const in, token = 30 * time.Millisecond, 2 * time.Millisecond
	none, some := with(FrontEnd{}, 0), with(FrontEnd{in, token}, 0)
	first := func(r *Result) (ttft, total time.Duration, tokens int) {
		s := r.Served[0]
		return time.Duration(s.First - s.Queued), time.Duration(s.Final - s.Queued), s.Generated
	}
	before, beforeAll, tokens := first(none)
	after, afterAll, _ := first(some)
	if after-before != in+token {
		t.Errorf("the first request waits for its token %v instead of %v; want %v more", after, before, in+token)
	}
	if more := afterAll - beforeAll; more < in+token || more > in+time.Duration(tokens)*token*time.Duration(len(some.Served)) {
		t.Errorf("its %d tokens take %v more", tokens, more)
	}
	if some.TTFT.Mean-none.TTFT.Mean < 32 || some.TokenHitRatio == 0 {
		t.Errorf("TTFT mean %v and %v ms; want 32 more at least", none.TTFT.Mean, some.TTFT.Mean)
	}
	shared := with(FrontEnd{in, token}, 1)
	if engines := with(FrontEnd{}, 1); shared.TTFT.Mean < engines.TTFT.Mean+32 {
		t.Errorf("on one core: TTFT %v and %v ms", engines.TTFT.Mean, shared.TTFT.Mean)
	}
	if again := with(FrontEnd{in, token}, 1); again.TTFT != shared.TTFT || again.Latency != shared.Latency {
		t.Errorf("a second run: %+v, want %+v", again.TTFT, shared.TTFT)
	}
	o := replayOptions(t, "round_robin")
	o.FrontEnd.Token = -1
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "front end") {
		t.Errorf("below 0: %v", err)
	}
}
