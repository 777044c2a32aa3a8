package pool

import (
	"math"
	"testing"

	"warmroute/plugin/queue"
)

// What this proxy has sent since the others' report, they have sent likewise, as far as it still waits.
func TestLikewise(t *testing.T) {
	const now, ms = 100 * second, second / 1000 // ten tokens a millisecond
	p := newPool(2)
	want := func(what string, at int64, endpoint int, tokens float64) {
		t.Helper()
		if got := p.Queue(endpoint, at); math.Abs(got-tokens) > 0.5 {
			t.Errorf("%s: %v tokens, want %v", what, got, tokens)
		}
		if got := p.Look(at)[endpoint].Queue; math.Abs(got-tokens) > 0.5 {
			t.Errorf("%s: the summary says %v tokens, want %v", what, got, tokens)
		}
	}
	p.SetGatewayRequests(30, now)
	p.enqueue(0, now, 1000, true)
	p.LearnLikewise(now)
	want("no others are known", now, 0, 1000)
	p.dequeue(0, now, 1000)
	p.SetGatewayPlace(0, 4)
	p.LearnLikewise(now + 200*ms)
	p.enqueue(0, now+210*ms, 1000, true)
	p.dequeue(0, now+220*ms, 1000)
	want("a send that is computed", now+220*ms, 0, 0)
	p.enqueue(0, now+230*ms, 1000, true)
	p.SetGatewayRequests(30, now+230*ms)
	want("no send since the report", now+230*ms, 0, 1000)
	p.SetGatewayRequests(30, now+229*ms)
	want("as many as there are others", now+230*ms, 0, 1000+3000)
	want("another endpoint", now+230*ms, 1, 0)
	p.SetWorkerRequests(13, now+240*ms)
	p.SetWorkers(1, 1, 0, queue.Line{Waiting: 1, Queued: 500, Begun: now + 240*ms})
	want("another worker's prompt", now+240*ms, 1, 500+1500)
	p.SetWorkers(1, 0, 0, queue.Line{Ended: now + 250*ms})
	want("which is computed", now+250*ms, 1, 0)
	p.enqueue(1, now+250*ms, 500, false)
	want("without a stream", now+250*ms, 1, 500+1500)
	for range 32 { // as many as are remembered
		p.enqueue(1, now+260*ms, 0, true)
	}
	want("more sends than are remembered", now+260*ms, 0, 1000-300)
	p.ClearGateways()
	want("alone again", now+260*ms, 0, 1000-300)
}
