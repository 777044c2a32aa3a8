package pool

import (
	"math"
	"testing"

	"warmroute/plugin/health"
	"warmroute/plugin/queue"
)

// Prompts wait in one line at an endpoint, whichever workers and gateways sent them: what one of them computes delays the others,
// and the end of one shows when the next began.
func TestLineOfAll(t *testing.T) {
	const now, ms = 100 * second, second / 1000 // ten tokens a millisecond
	p := newPool(1)
	want := func(at int64, tokens float64) {
		t.Helper()
		if got := p.Queue(0, at); math.Abs(got-tokens) > 0.5 {
			t.Errorf("%v ms: %v tokens, want %v", (at-now)/ms, got, tokens)
		}
		if got := p.Look(at)[0].Queue; math.Abs(got-tokens) > 0.5 {
			t.Errorf("%v ms: the summary says %v tokens, want %v", (at-now)/ms, got, tokens)
		}
	}
	p.SetWorkers(0, 1, 0, queue.Line{Waiting: 1, Queued: 1000, Begun: now})
	p.enqueue(0, now+20*ms, 1000, true) // behind it
	want(now+20*ms, 1800)
	want(now+50*ms, 1500)
	want(now+300*ms, 1000) // that worker's first token would show
	p.SetWorkers(0, 0, 0, queue.Line{Begun: now, Ended: now + 90*ms})
	want(now+90*ms, 1000)
	want(now+120*ms, 700)
	p.SetWorkers(0, 0, 0, queue.Line{})
	p.dequeue(0, now+190*ms, 1000)
	want(now+190*ms, 0)

	p.SetGatewayRequests(1, now+200*ms)
	p.SetGatewayLoad(0, 2, 0, queue.Line{Waiting: 2, Queued: 2000, Begun: now + 100*ms, Ended: now + 150*ms})
	want(now+200*ms, 2000-100) // the first began when this worker's ended
	want(now+250*ms, 2000-600) //
	want(now+1000*ms, 0)       // ends that are not reported yet
	p.enqueue(0, now+240*ms, 1000, true)
	want(now+250*ms, 3000-600)
	want(now+2000*ms, 0) // this worker's would show, but which of all was computed does not
	p.SetGatewayRequests(1, now+1000*ms)
	p.SetGatewayLoad(0, 2, 0, queue.Line{Waiting: 2, Queued: 2000, Begun: now + 100*ms, Ended: now + 150*ms})
	want(now+1000*ms, 3000-1000) // an endpoint that stands still

	p.SetGatewayRequests(1, now+1100*ms)
	p.SetGatewayLoad(0, 4, 0, queue.Line{Waiting: 4, Queued: 4000, Begun: now + 1000*ms, Ended: now + 1050*ms})
	p.dequeue(0, now+1250*ms, 1000)
	want(now+1250*ms, 4000-1000) // of what was computed until this worker's first token showed, half was its prompt
	want(now+1350*ms, 4000-2000)
	p.SetGatewayRequests(1, now+1300*ms)
	p.SetGatewayLoad(0, 4, 0, queue.Line{Waiting: 3, Queued: 3000, Begun: now + 1000*ms, Ended: now + 1250*ms})
	want(now+1300*ms, 3000-500) // reported after it
}

// Before the pool's speed is known, nothing is late.
func TestLateKnowsTheSpeed(t *testing.T) {
	p := newPool(1)
	begin(p, 0, second, 100, true)
	if got := p.Late(0, 10*second); got != 0 {
		t.Errorf("late by %v tokens, before any response", got)
	}
	for i := range 24 {
		f := begin(p, 0, 10*second, 1000*(i+1), true)
		p.FirstToken(f, 10*second+int64(i+1)*second/10)
		p.End(f, 11*second, Outcome{Ending: health.Answered, Usage: true, PromptTokens: 1000 * (i + 1), TTFT: int64(i+1) * second / 10})
	}
	if got := p.Late(0, 60*second); got < 100_000 {
		t.Errorf("late by %v tokens after 40 s at 100 µs a token", got)
	}
}
