package pool

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"warmroute/plugin/exposition"
	"warmroute/plugin/health"
	"warmroute/plugin/prompt"
	"warmroute/plugin/queue"
)

// A prompt waits until its first token, also while a replica computes it, which its page counts as running; a stream that has its
// first token does not wait, though the next page is yet to come.
func TestWaitingUntilTheFirstToken(t *testing.T) {
	p := newPool(1)
	page := func(now int64, running, waiting float64) {
		p.ApplyMetrics(0, now, &exposition.Load{Has: exposition.HasRunning | exposition.HasWaiting, Running: running, Waiting: waiting})
		p.Tick(now)
	}
	check := func(what string, now int64, waiting, unadmitted float64) {
		t.Helper()
		if got := p.Waiting(0, now); got != waiting {
			t.Errorf("%s: %v wait, want %v", what, got, waiting)
		}
		if got := p.Unadmitted(0, now); got != unadmitted {
			t.Errorf("%s: %v without memory, want %v", what, got, unadmitted)
		}
	}
	first, later := send(p, 0, textOf(1600), second), send(p, 0, textOf(1600), second)
	page(2*second, 2, 0)
	check("both are admitted, and computed", 2*second, 2, 0)
	p.FirstToken(first, 2*second)
	check("one has its first token", 2*second, 1, 0)
	third := send(p, 0, textOf(1600), 2*second)
	check("one more", 2*second, 2, 1)
	p.FirstToken(later, 2*second)
	p.FirstToken(third, 2*second)
	check("all have their first tokens", 2*second, 0, 1)
	page(3*second, 3, 0)
	check("the next page", 3*second, 0, 0)
	p.End(third, 3*second, Outcome{Ending: health.Answered})
	page(4*second, 2, 3)
	check("three of another client", 4*second, 3, 3)
}

// Where no page tells, prompts are admitted as far as one step computes them.
func TestUnadmittedWithoutPages(t *testing.T) {
	p, begins := newPool(1), 0
	check := func(want float64) {
		t.Helper()
		if got := p.Unadmitted(0, second); math.Abs(got-want) > 0.05 {
			t.Errorf("%v of %v tokens are not admitted, want %v", got, p.Queue(0, second), want)
		}
	}
	ask := func(tokens, times int) {
		for range times {
			begins++
			send(p, 0, &prompt.Prompt{Text: []byte(fmt.Sprint(begins) + strings.Repeat("abcd", tokens)), Stream: true}, second)
		}
	}
	ask(step/5, 4)
	check(0) // one step computes them
	ask(step/4, 5)
	check(9 * (1 - 1/2.05))
	ask(14*step, 1)
	check(10 * (1 - 1/16.05))

	p = newPool(1) // those of other workers and gateways, too
	p.SetWorkers(0, 2, 0, queue.Line{Waiting: 2, Queued: 1.5 * step})
	p.SetGatewayLoad(0, 1, 0, queue.Line{Waiting: 1, Queued: 0.5 * step})
	check(3 * (1 - 1/2.0))
	p.ApplyMetrics(0, 1, &exposition.Load{Has: exposition.HasRunning | exposition.HasWaiting, Running: 1, Waiting: 2})
	if got := p.Unadmitted(0, 1); got != 2 {
		t.Errorf("%v are not admitted, and 2 by a fresh page", got)
	}
	if got, want := p.Unadmitted(0, 1+(freshFor+staleAfter)/2), (2+3*(1-1/2.0))/2; math.Abs(got-want) > 0.01 {
		t.Errorf("%v are not admitted as the page grows old, want %v", got, want)
	}
}

// Of responses that are not streamed only a page tells which wait: with what was sent since.
func TestWaitingOfUnstreamed(t *testing.T) {
	p := newPool(1)
	whole := textOf(1600)
	whole.Stream = false
	for range 400 {
		p.End(send(p, 0, whole, second), second, Outcome{Ending: health.Answered})
	}
	for range 5 {
		send(p, 0, whole, second)
	}
	p.ApplyMetrics(0, 2*second, &exposition.Load{Has: exposition.HasRunning | exposition.HasWaiting, Running: 2, Waiting: 3})
	p.Tick(2 * second)
	if got := p.Waiting(0, 2*second); math.Abs(got-3) > 0.01 {
		t.Errorf("%v wait, want 3", got)
	}
	send(p, 0, whole, 2*second)
	if got := p.Waiting(0, 2*second); math.Abs(got-4) > 0.01 {
		t.Errorf("%v wait after one more, want 4", got)
	}
}
