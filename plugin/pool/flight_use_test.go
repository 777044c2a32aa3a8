package pool

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/health"
	"warmroute/plugin/prefix"
	"warmroute/plugin/prefix/prefixtest"
)

// What a request uses of an endpoint's cache is in use from when it is sent until it ends, wherever it goes meanwhile.
func TestInUseUntilTheEnd(t *testing.T) {
	const memory = 1000 // tokens
	whole := textOf(8000)
	part := *whole
	part.Text, part.Truncated, part.BodyBytes = whole.Text[:2000], true, 2000
	answered := Outcome{Ending: health.Answered, Usage: true, PromptTokens: 2000}
	for name, c := range map[string]struct {
		refuses   bool // the endpoint has less memory than the prompt takes
		happens   func(p *Pool, f *Flight)
		end       Outcome
		at        int // where it is in the end
		uses      int // bytes in use there before its end
		holds     int // and held after it
		elsewhere int // bytes in use at the other endpoint before its end
	}{
		"sent":           {false, func(*Pool, *Flight) {}, answered, 0, 2000, 2000, 0},
		"more comes":     {false, func(p *Pool, f *Flight) { p.Extend(f, whole, 2*second) }, answered, 0, 8000, 8000, 0},
		"hung up":        {false, func(p *Pool, f *Flight) { p.Extend(f, whole, 3*second-1e6) }, Outcome{Ending: health.Cancelled, Lost: true, HungUp: true}, 0, 8000, 0, 0},
		"lost":           {false, func(p *Pool, f *Flight) { p.Extend(f, whole, 2*second) }, Outcome{Ending: health.Cancelled, Lost: true}, 0, 8000, 0, 0},
		"client left":    {false, func(*Pool, *Flight) {}, Outcome{Ending: health.Cancelled}, 0, 2000, 2000, 0},
		"it moved":       {false, func(p *Pool, f *Flight) { p.Moved(f, 1, 2*second) }, answered, 1, 2000, 2000, 0},
		"moved and lost": {false, func(p *Pool, f *Flight) { p.Moved(f, 1, 2*second) }, Outcome{Ending: health.Failed, Lost: true}, 1, 2000, 0, 0},
		"too long":       {true, func(p *Pool, f *Flight) { p.Extend(f, whole, 2*second) }, answered, 0, 2000, 4 * memory, 0},
		"restarted":      {false, func(p *Pool, _ *Flight) { p.EmptyCache(0, 2*second) }, answered, 0, 0, 2000, 0},
		"replaced": {false, func(p *Pool, _ *Flight) {
			p.Remove(0)
			p.Place(0, config.Endpoint{Address: "10.0.0.9:80", Weight: 1}, 2*second)
		}, answered, 0, 0, 0, 0},
	} {
		p := newPool(2)
		if c.refuses {
			p.SetCache(0, memory)
		}
		f := send(p, 0, &part, second)
		c.happens(p, f)
		uses := func(e int) int { return f.Chain.Covered(prefixtest.Used(p.Index, e, &f.Chain)) } // forgets what is idle
		roughly := func(got, want int) bool { return got <= want && got > want-1100 }             // the last block is of 1 KB and may not be whole
		if got, other := uses(c.at), uses(1-c.at); !roughly(got, c.uses) || other != c.elsewhere {
			t.Errorf("%s: %d bytes are in use, %d elsewhere; want about %d and %d", name, got, other, c.uses, c.elsewhere)
		}
		inUse := f.used
		f.Entered() // told
		f.Lost()
		p.End(f, 3*second, c.end)
		depth := p.Match(f)
		got, other := f.Chain.Covered(int(depth[c.at])), f.Chain.Covered(int(depth[1-c.at]))
		if used := uses(0) + uses(1); !roughly(got, c.holds) || other != 0 || used != 0 {
			t.Errorf("%s: after its end %d bytes are held, want about %d, %d elsewhere, and %d in use", name, got, c.holds, other, used)
		}
		v, taken := f.Entered(), f.Lost()
		if c.end.Lost {
			v, taken = taken, v
		}
		switch {
		case taken.Chain != nil:
			t.Errorf("%s: it is both told as held and as lost", name)
		case name == "replaced" && v.Chain != nil:
			t.Errorf("%s: %+v is told of an endpoint that has left", name, v)
		case name == "replaced":
		case c.end.Lost && (v.Step != prefix.Lost || v.Chain.Len() != inUse || v.At >= 3*second):
			t.Errorf("%s: %+v is told, %d blocks were in use", name, v, inUse)
		case !c.end.Lost && (v.Step != prefix.Ended || v.Chain.Len() != f.Total || v.First != inUse || v.Sent >= v.At || v.At != 3*second):
			t.Errorf("%s: %+v is told, %d of %d blocks were in use", name, v, inUse, f.Total)
		}
		if p.End(f, 4*second, c.end); f.Entered().Chain != nil || f.Lost().Chain != nil {
			t.Errorf("%s: it ends twice", name)
		}
	}
}

// A request that was sent before its endpoint restarted takes nothing off those that came since, whatever becomes of it; here or at a peer.
func TestEndAfterARestart(t *testing.T) {
	whole := textOf(4000)
	part := *whole
	part.Text, part.Truncated, part.BodyBytes = whole.Text[:1000], true, 1000
	for name, happens := range map[string]func(p *Pool, old *Flight){
		"answered": func(p *Pool, old *Flight) { p.End(old, 4*second, Outcome{Ending: health.Answered}) },
		"lost":     func(p *Pool, old *Flight) { p.End(old, 4*second, Outcome{Ending: health.Broken, Lost: true}) },
		"longer": func(p *Pool, old *Flight) {
			p.Extend(old, whole, 4*second)
			p.End(old, 5*second, Outcome{Ending: health.Answered})
		},
		"of a peer": func(p *Pool, old *Flight) {
			p.RecordVisit(0, &Visit{Step: prefix.Ended, Chain: &old.Chain, First: old.Total, Sent: second, At: 4 * second}, 4*second)
		},
	} {
		p := newPool(1)
		old := send(p, 0, &part, second)
		p.EmptyCache(0, 2*second)
		f := send(p, 0, whole, 3*second)
		happens(p, old)
		if got := prefixtest.Used(p.Index, 0, &f.Chain); got != f.Total {
			t.Errorf("%s: %d of %d blocks are in use", name, got, f.Total)
		}
	}
}

// Of a prompt whose endpoint is replaced before its rest comes, nothing is entered or told.
func TestLongerAfterReplacement(t *testing.T) {
	whole := textOf(8000)
	part := *whole
	part.Text, part.Truncated, part.BodyBytes = whole.Text[:2000], true, 2000
	p := newPool(1)
	f := send(p, 0, &part, second)
	f.Entered()
	p.Remove(0)
	p.Place(0, config.Endpoint{Address: "10.0.0.9:80", Weight: 1}, 2*second)
	p.Extend(f, whole, 3*second)
	if v := f.Entered(); v.Chain != nil || p.Index.Held(0) > 0 {
		t.Errorf("%+v is told, %d bytes are held", v, p.Index.Held(0))
	}
}
