package pool

import (
	"math"
	"testing"

	"warmroute/plugin/exposition"
	"warmroute/plugin/health"
)

// A request holds its memory while its prompt is computed and until its response ends; long prompts count by their tokens. An
// endpoint of which little was seen is taken to be as the pool is.
func TestResidence(t *testing.T) {
	p := newPool(2)
	if got := p.Residence(0); got != 0 {
		t.Errorf("before a response has ended: %v s, want 0", got)
	}
	serve := func(i, tokens int, first, seconds int64, streams bool, ending health.Ending) {
		f := begin(p, i, second, tokens, streams)
		if streams {
			p.FirstToken(f, second+first*second)
		}
		p.End(f, second+(first+seconds)*second, Outcome{Ending: ending})
	}
	serve(0, 1000, 5, 20, true, health.Broken)
	serve(0, 1000, 5, 20, true, health.Cancelled)
	if got := p.Residence(0); got != 0 {
		t.Errorf("after responses that did not end well: %v s, want 0", got)
	}
	serve(0, 1000, 5, 20, true, health.Answered)
	for i := range 2 {
		if got := p.Residence(i); math.Abs(got-20) > 0.01 { // its prompt is cached: it waited for its first token
			t.Errorf("endpoint %d: %v s, want 20", i, got)
		}
	}
	for range 400 {
		serve(1, 3000, 0, 10, true, health.Answered)
	}
	if got := p.Residence(1); math.Abs(got-10) > 0.1 {
		t.Errorf("endpoint 1: %v s, want 10", got)
	}
	if got := p.Residence(0); got < 10.1 || got > 20 {
		t.Errorf("endpoint 0 after one response of 20 s, where others take 10: %v s", got)
	}
	if got := p.Stays.MeanTokens(); math.Abs(got-3000) > 100 {
		t.Errorf("the mean prompt has %v tokens, want 3,000", got)
	}
	p = newPool(1)
	serve(0, 20_000, 5, 7, true, health.Answered)
	if got := p.Residence(0); math.Abs(got-9) > 0.01 {
		t.Errorf("with a prompt to compute: %v s, want 9", got)
	}
	p = newPool(1)
	serve(0, 2000, 0, 7, false, health.Answered) // nothing was queued before it
	if got := p.Residence(0); math.Abs(got-7) > 0.01 {
		t.Errorf("not streamed: %v s, want 7", got)
	}
}

// What waits wants memory for the cached part, too, unless a running request holds it; what has its first token uses memory before
// the next page shows it, and what has ended does not.
func TestMemoryOfOwnRequests(t *testing.T) {
	const start, room = 1000 * second, 100_000
	p := newPool(1)
	page := func(at int64, usage float64) {
		p.ApplyMetrics(0, at, &exposition.Load{Has: exposition.HasRunning | exposition.HasWaiting | exposition.HasKVTokens | exposition.HasKVUsage, KVTokens: room, KVUsage: usage})
	}
	want := func(what string, at int64, wanted, used float64) {
		t.Helper()
		s := p.Look(at)[0]
		if math.Abs(s.Wanted-wanted) > 20 || math.Abs(s.Used-used) > 20 {
			t.Errorf("%s: %.0f tokens wanted and %.0f used, want %.0f and %.0f", what, s.Wanted, s.Used, wanted, used)
		}
	}
	page(start, 0.5)
	f := begin(p, 0, start, 8000, true)
	want("it waits", start, 8000, 50_000)
	p.FirstToken(f, start+second)
	want("it runs", start+second, 0, 58_000)
	page(start+2*second, 0.58)
	want("a page shows it", start+2*second, 0, 58_000)
	p.End(f, start+11*second, Outcome{Ending: health.Answered})
	page(start+2*second, 0.58) // of the same time: what has ended since is not on it
	again := begin(p, 0, start+600*second, 8000, true)
	if found := again.Tokens - again.uncached; found < 7000 {
		t.Fatalf("%v tokens of the prompt are believed to be cached", found)
	}
	page(start+600*second, 0)
	want("it comes again, and nothing holds it", start+600*second, 8000, 0)
	other := begin(p, 0, start+600*second, 8000, true)
	want("and once more at that time", start+600*second, 8000+other.uncached, 0)
	p.End(again, start+601*second, Outcome{Ending: health.Cancelled, Lost: true})
	p.End(other, start+601*second, Outcome{Ending: health.Cancelled, Lost: true})
	want("both are gone", start+601*second, 0, 0)
}

// What a prompt's last turn left is idle once nobody uses it; where an endpoint keeps elsewhere what it evicts, nothing is lost.
func TestIdle(t *testing.T) {
	p := newPool(2)
	turn := func() *Flight {
		f := new(Flight)
		p.Prepare(f, textOf(8000), nil, 0)
		p.Match(f)
		return f
	}
	idle := func() (tokens, own float64) {
		f := turn()
		blocks := int(p.depth[0])
		return p.Idle(f, 0, blocks), f.Uncached(p.Shared()) - f.Uncached(blocks)
	}
	whole, half := send(p, 0, textOf(8000), second), send(p, 0, textOf(4000), 2*second)
	if got, own := idle(); got != 0 || own < 1000 {
		t.Errorf("under way: %v of %v tokens are idle, want none", got, own)
	}
	p.End(whole, 3*second, Outcome{})
	got, own := idle()
	if got == 0 || got > own*0.6 {
		t.Errorf("half of it is in use: %v of %v tokens are idle", got, own)
	}
	p.End(half, 4*second, Outcome{})
	if got, own := idle(); got != own || own < 1000 {
		t.Errorf("nothing is under way: %v of %v tokens are idle, want all", got, own)
	}
	p.ends[0].cache.tier.there = true
	if got, _ := idle(); got != 0 {
		t.Errorf("it keeps elsewhere what it evicts: %v tokens", got)
	}
}
