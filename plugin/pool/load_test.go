package pool

import (
	"math"
	"testing"

	"warmroute/plugin/exposition"
	"warmroute/plugin/health"
	"warmroute/plugin/prefix"
	"warmroute/plugin/queue"
	"warmroute/plugin/recent"
)

func TestCounts(t *testing.T) {
	p := newPool(2)
	begin(p, 1, 0, 10, true)
	begin(p, 0, 0, 10, true)
	p.End(begin(p, 1, 0, 10, true), 0, Outcome{})
	if p.InFlight(0) != 1 || p.InFlight(1) != 1 {
		t.Errorf("got %d, %d; want 1, 1", p.InFlight(0), p.InFlight(1))
	}
	p.SetWorkers(1, 5, 0, queue.Line{})
	p.SetWorkers(1, 3, 0, queue.Line{})
	if p.InFlight(1) != 4 || p.OwnInFlight(1) != 1 {
		t.Errorf("with others: got %d, own %d; want 4, 1", p.InFlight(1), p.OwnInFlight(1))
	}
}

func TestReleaseStopsAtZero(t *testing.T) {
	p := newPool(1)
	p.release(0)
	if begin(p, 0, 0, 10, true); p.InFlight(0) != 1 {
		t.Errorf("after a stray release and a request: got %d, want 1", p.InFlight(0))
	}
}

func TestQueue(t *testing.T) {
	const now = 100 * second
	p := newPool(1)
	want := func(at int64, tokens float64) {
		t.Helper()
		if got := p.Queue(0, at); math.Abs(got-tokens) > 0.5 {
			t.Errorf("%v s: %v tokens queued, want %v", float64(at-now)/1e9, got, tokens)
		}
	}
	p.enqueue(0, now, 10000, true)
	p.enqueue(0, now, 6000, true)
	want(now, 16000)
	want(now+second/10, 15000)                      // at the assumed 10,000 tokens a second
	want(now+10*second, 8000)                       // the first is under way, and no more than the first
	p.dequeue(0, now, 10000)                        // it was faster than that
	want(now, 6000)                                 //
	want(now+second/2, 1000)                        //
	p.dequeue(0, now, 6000)                         // the client left
	want(now, 0)                                    //
	p.enqueue(0, now, 5000, false)                  // not streamed: its end shows nothing
	want(now+second/4, 2500)                        //
	want(now+second, 0)                             //
	p.enqueue(0, now+second, 40, true)              //
	p.SetWorkers(0, 0, 0, queue.Line{Queued: 8000}) // of other workers
	want(now+second, 8040)
	p.SetWorkers(0, 0, 0, queue.Line{})
	want(now+second, 40)
}

// A response that is not streamed shows when it has ended that its prompt, and those before it, are computed.
func TestEndOfUnseen(t *testing.T) {
	p, now := newPool(1), 10*second
	want := func(tokens float64) {
		t.Helper()
		if got := p.Queue(0, now); math.Abs(got-tokens) > 1 {
			t.Errorf("%v tokens queued, want %v", got, tokens)
		}
	}
	send := func(tokens float64) *Flight {
		p.enqueue(0, now, tokens, false)
		return &Flight{turn: p.ends[0].turn, uncached: tokens, place: p.ends[0].queue.Sent()}
	}
	send(20000)
	second := send(5000)
	send(6000)
	p.finishUnseen(second, now, true)
	want(6000) // the first is computed, too
	p.finishUnseen(send(1000), now, false)
	want(6000) // one that was given up
	p.finishUnseen(&Flight{turn: p.ends[0].turn, uncached: 20000, place: second.place}, now, true)
	want(0)
}

// A request that is decided before its body says that it streams is one of those whose first token shows.
func TestStreamSaidLate(t *testing.T) {
	p, now := newPool(1), 10*second
	of := textOf(40000)
	of.Stream = false
	f := send(p, 0, of, now)
	of.Stream = true
	p.Extend(f, of, now)
	if got := p.Queue(0, now); math.Abs(got-10000) > 1 || p.Waiting(0, now) != 1 {
		t.Errorf("%v tokens queued, %v waiting; want 10000 and 1", got, p.Waiting(0, now))
	}
	if p.FirstToken(f, now); p.Queue(0, now) != 0 || p.Waiting(0, now) != 0 {
		t.Errorf("after its first token %v tokens are queued, %v wait", p.Queue(0, now), p.Waiting(0, now))
	}
	p.End(f, now, Outcome{})
	if p.InFlight(0) != 0 || p.Queue(0, now) != 0 {
		t.Errorf("at its end %d in flight, %v tokens queued", p.InFlight(0), p.Queue(0, now))
	}
}

// What is cached of a prompt needs as much memory wherever "stream" stands in its body: its own beginning in the index is no other request's.
func TestStreamSaidLateNeedsItsMemory(t *testing.T) {
	var found [2]float64
	for k, early := range []bool{true, false} {
		p := newPool(1)
		p.End(send(p, 0, textOf(40_000), second), 2*second, Outcome{Ending: health.Answered})
		of := textOf(100_000)
		of.Stream, of.Truncated = early, true
		f := send(p, 0, of, 100*second)
		p.Extend(f, textOf(100_000), 101*second)
		found[k] = p.ends[0].memory.found
	}
	if found[0] != found[1] || found[0] < 5000 {
		t.Errorf("what is cached of it wants %v tokens of memory, and %v if \"stream\" comes last; want both some 10,000", found[0], found[1])
	}
}

// A prompt of which more was read after the decision is taken back whole where nothing came of it.
func TestExtendedAndLost(t *testing.T) {
	p, now := newPool(1), 10*second
	good := begin(p, 0, now, 9000, true)
	p.End(good, now, Outcome{Usage: true, PromptTokens: 9000})
	before := p.Index.Held(0)
	of := textOf(80000)
	copy(of.Text, "another")
	whole := of.Text
	of.Text, of.Truncated = whole[:40000], true
	f := send(p, 0, of, now+second)
	of.Text, of.Truncated = whole, false
	p.Extend(f, of, now+2*second)
	if p.Index.Held(0) <= before {
		t.Fatal("what was read after the decision is not believed to be held")
	}
	p.End(f, now+3*second, Outcome{Ending: health.Cancelled, Lost: true})
	if got := p.Index.Held(0); got != before {
		t.Errorf("%d bytes are believed to be held, %d before it", got, before)
	}
}

// The tokens of a response that is not streamed are followed where more of its prompt is read after the decision.
func TestExtendedUnseen(t *testing.T) {
	p, now := newPool(1), 10*second
	p.enqueue(0, now, 20000, false)
	of := textOf(80000)
	of.Stream = false
	whole := of.Text
	of.Text, of.Truncated = whole[:8000], true
	f := send(p, 0, of, now)
	of.Text, of.Truncated = whole, false
	if p.Extend(f, of, now); math.Abs(p.Queue(0, now)-40000) > 1 {
		t.Errorf("%v tokens queued, want 20000 of each", p.Queue(0, now))
	}
	if p.End(f, now, Outcome{Ending: health.Cancelled}); math.Abs(p.Queue(0, now)-20000) > 1 {
		t.Errorf("after it was given up %v tokens are queued, want 20000", p.Queue(0, now))
	}
}

func TestWorkFades(t *testing.T) {
	p := newPool(2)
	p.enqueue(0, second, 1000, true)
	p.enqueue(0, second, 500, true)
	if requests, tokens := p.OwnWork(0, second); requests != 2 || tokens != 1500 {
		t.Errorf("got %v requests, %v tokens; want 2, 1500", requests, tokens)
	}
	if _, tokens := p.OwnWork(0, second+recent.Span); math.Abs(tokens-1500/math.E) > 1 {
		t.Errorf("a minute later %v tokens, want 1500 ÷ e", tokens)
	}
	p.ends[1].weight = 2
	p.admit(1, true, second)
	if requests, tokens := p.OwnWork(1, second); requests != 4 || tokens != 3000 {
		t.Errorf("a new endpoint of weight 2 counts %v requests, %v tokens; want twice the other's, 4, 3000", requests, tokens)
	}
}

// What was computed counts, not what was expected.
func TestWorkIsCorrected(t *testing.T) {
	p := newPool(2)
	p.End(begin(p, 0, second, 1000, true), second, Outcome{}) // so that it may be cached
	f := begin(p, 1, second, 1000, true)
	if _, work := p.OwnWork(1, second); work != 1000 {
		t.Fatalf("begun: %v tokens given, want 1000", work)
	}
	p.End(f, second, Outcome{Usage: true, PromptTokens: 1000, CachedTokens: 900})
	if _, work := p.OwnWork(1, second); work != 100 {
		t.Errorf("answered: %v tokens given, want 100", work)
	}
}

func TestStalePagesTurnIntoOwnCounts(t *testing.T) {
	p := newPool(1)
	var flights []*Flight
	for range 4 {
		flights = append(flights, begin(p, 0, 0, 100, true))
	}
	if got := p.Requests(0, 0); got != 4 {
		t.Errorf("without a page: %v requests, want the 4 in flight", got)
	}
	page := exposition.Load{Has: exposition.HasRunning | exposition.HasWaiting, Running: 20, Waiting: 6}
	p.ApplyMetrics(0, 100*second, &page)
	p.Tick(100 * second)
	flights = append(flights, begin(p, 0, 100*second, 100, true))
	for _, c := range []struct {
		after             int64 // seconds
		requests, waiting float64
	}{{1, 27, 7}, {6, 16, 6}, {10, 5, 5}, {1000, 5, 5}} {
		at := (100 + c.after) * second
		if r, w := p.Requests(0, at), p.Waiting(0, at); r != c.requests || w != c.waiting {
			t.Errorf("%d s after the page: %v requests, %v waiting; want %v, %v", c.after, r, w, c.requests, c.waiting)
		}
	}
	for _, f := range flights {
		p.End(f, 101*second, Outcome{})
	}
	if got := p.Requests(0, 101*second); got != 22 {
		t.Errorf("after five ends: %v requests, want 22", got)
	}
}

func TestMetricsShowRestarts(t *testing.T) {
	p := newPool(1)
	for i, c := range []struct {
		queries float64
		restart bool
	}{{1000, false}, {2000, false}, {2000, false}, {10, true}, {20, false}} {
		p.Index.Insert(0, &prefix.Chain{Hash: []uint64{1, 2}}, 0)
		p.ApplyMetrics(0, int64(i+1)*second, &exposition.Load{Has: exposition.HasRunning | exposition.HasCacheQueries, CacheQueries: c.queries})
		if got := p.Index.Held(0) == 0; got != c.restart {
			t.Errorf("page %d: the cache is empty: %v, want %v", i, got, c.restart)
		}
	}
}
