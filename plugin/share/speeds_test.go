package share

import (
	"math"
	"testing"

	"warmroute/plugin/health"
	"warmroute/plugin/pool"
	"warmroute/plugin/share/memstore"
)

// respond lets n responses of an endpoint show how fast it is, in seconds a token.
func (w worker) respond(endpoint, n int, perToken float64) {
	for k := range n {
		tokens := 100 * (1 + k%5)
		f, at := w.begin(endpoint, tokens), int64(1e9+perToken*float64(tokens)*1e9)
		w.pool.FirstToken(f, at)
		w.pool.End(f, at, pool.Outcome{Ending: health.Answered, Usage: true, PromptTokens: tokens})
	}
}

// What endpoints lose by computing again each worker knows of all, as long as they are there.
func TestWorkersShareLosses(t *testing.T) {
	m := memstore.New()
	a, b := newWorker(t, m, two, 0), newWorker(t, m, two, 0)
	now := int64(1e9)
	turn := func(n int, workers ...worker) {
		for range n {
			now += 1e9
			for k, w := range workers {
				f := w.begin(0, 100)
				w.pool.FirstToken(f, now)
				w.pool.End(f, now, pool.Outcome{Ending: health.Answered, Usage: true, PromptTokens: 100})
				w.pool.Lost.Note(k, 0.1, now)
				w.Tick(now)
				w.ShareSpeeds(now)
			}
		}
	}
	turn(60, a, b)
	for i, w := range []worker{a, b} {
		if got := w.pool.Lost.Time(nil, now); math.Abs(got-0.2) > 0.02 {
			t.Errorf("worker %d: the whole time of %v endpoints is lost, want .1 for each worker", i, got)
		}
	}
	turn(8, a)
	if got := a.pool.Lost.Time(nil, now); math.Abs(got-0.1) > 0.02 {
		t.Errorf("after b has left: %v, want .1", got)
	}
}

// What each worker of a proxy has seen of an endpoint, in too few responses to judge by, both know together, as long as both are there.
func TestWorkersShareSpeeds(t *testing.T) {
	m := memstore.New()
	a, b := newWorker(t, m, two, 0), newWorker(t, m, two, 0)
	for _, w := range []worker{a, b} {
		w.respond(0, 6, 1e-4)
		w.respond(1, 6, 3e-3)
		if fast, slow := w.pool.PerToken(0), w.pool.PerToken(1); fast != slow {
			t.Fatalf("of 6 responses a worker takes the endpoints for unequal: %v, %v", fast, slow)
		}
	}
	now := int64(1e9)
	turn := func(workers ...worker) {
		now += 1e9
		for _, w := range workers {
			w.Tick(now)
			w.ShareSpeeds(now)
			w.pool.Tick(now)
		}
	}
	turn(a, b)
	turn(a, b)
	for _, w := range []worker{a, b} {
		if fast, slow := w.pool.PerToken(0), w.pool.PerToken(1); slow < 3*fast {
			t.Errorf("together they take the endpoints for as fast as %v and %v s a token, which are 1e-4 and 3e-3", fast, slow)
		}
	}
	for range 8 {
		turn(a)
	}
	if fast, slow := a.pool.PerToken(0), a.pool.PerToken(1); fast != slow {
		t.Errorf("b has left, and a goes by its responses: %v, %v", fast, slow)
	}
}
