package pool

import (
	"testing"

	"warmroute/plugin/health"
	"warmroute/plugin/queue"
)

// A request's prompt counts while it is at an endpoint, with what is read of it later, and wherever it goes; others' requests are taken
// to be like those.
func TestReads(t *testing.T) {
	p := newPool(2)
	want := func(after string, i int, tokens, unknown float64) {
		t.Helper()
		s := p.Look(second)[i]
		if got, none := p.Reads(i, second); got != tokens || none != unknown || s.Reads != got || s.Unknown != none {
			t.Errorf("after %s, endpoint %d: %v tokens, %v unknown (its summary %v, %v); want %v, %v", after, i, got, none, s.Reads, s.Unknown, tokens, unknown)
		}
	}
	want("nothing", 0, 0, 0)
	p.SetWorkers(0, 3, 0, queue.Line{})
	want("others' requests", 0, 0, 3)
	long := begin(p, 0, second, 9000, true)
	want("a long prompt", 0, 4*9000, 0)
	short := begin(p, 0, second, 1000, false)
	want("a short one", 0, 10_000+3*5000, 0)
	p.SetWorkers(0, 0, 0, queue.Line{})
	p.FirstToken(long, second)
	want("a first token", 0, 10_000, 0)
	p.Extend(short, textOf(4*3000), second)
	want("the rest of a prompt", 0, 12_000, 0)
	p.Moved(short, 1, second)
	want("a move", 0, 9000, 0)
	want("a move", 1, 3000, 0)
	for _, f := range []*Flight{long, short} {
		p.End(f, second, Outcome{Ending: health.Answered})
		p.End(f, second, Outcome{Ending: health.Answered})
	}
	want("all", 0, 0, 0)
	want("all", 1, 0, 0)
}
