package pool

import (
	"math"
	"math/rand/v2"
	"testing"

	"warmroute/plugin/queue"
	"warmroute/plugin/recent"
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
	for range mostSends {
		p.enqueue(1, now+260*ms, 0, true)
	}
	want("more sends than are remembered", now+260*ms, 0, 1000-300)
	p.ClearGateways()
	want("alone again", now+260*ms, 0, 1000-300)
}

// Others count as sending likewise as far as they did: where they burst when this proxy does, and not where bursts are its own, or
// nothing is sent in bursts.
func TestLearnLikewise(t *testing.T) {
	const each = 200 // tokens of a prompt
	random := rand.New(rand.NewPCG(1, 2))
	for name, c := range map[string]struct {
		own, others func(burst bool) float64
		least, most float64
	}{
		"together":  {func(b bool) float64 { return when(b, 5*each) }, func(b bool) float64 { return when(b, 10*each) }, 1.9, 2.1},
		"apart":     {func(b bool) float64 { return when(b, 5*each) }, func(bool) float64 { return float64(random.IntN(9)) * each }, 0, 0.4},
		"no bursts": {func(bool) float64 { return when(random.IntN(4) == 0, each) }, func(bool) float64 { return when(random.IntN(2) == 0, each) }, 0, 0.4},
		"nothing":   {func(bool) float64 { return 0 }, func(b bool) float64 { return when(b, 10*each) }, 3, 3},
	} {
		p, now, sums := newPool(4), int64(100*second), make([]float64, 4)
		p.SetGatewayPlace(0, 4)
		p.LearnLikewise(now)
		for range 300 {
			now += spanLeast
			for i := range sums {
				burst := random.IntN(6) == 0
				if tokens := c.own(burst); tokens > 0 {
					p.enqueue(i, now, tokens, true)
					p.dequeue(i, now, tokens)
				}
				sums[i] = sums[i]*recent.Weight(spanLeast/recent.Span) + c.others(burst)
				p.SetGatewayLoad(i, 0, sums[i], queue.Line{})
			}
			p.LearnLikewise(now - spanLeast/2) // too soon
			p.LearnLikewise(now)
		}
		if got := p.gateways.times; got < c.least || got > c.most {
			t.Errorf("%s: %.2f times as much is sent likewise, want %v to %v", name, got, c.least, c.most)
		}
	}
}

func when(so bool, tokens float64) float64 {
	if so {
		return tokens
	}
	return 0
}
