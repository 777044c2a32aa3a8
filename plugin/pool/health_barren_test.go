package pool

import (
	"encoding/binary"
	"testing"

	"warmroute/plugin/health"
	"warmroute/plugin/prompt"
)

// yields sends n requests by load to each endpoint of a pool, half a second apart, and ends them as outcome says.
func yields(p *Pool, from int64, n int, outcome func(i, n int) Outcome) int64 {
	now := from
	for k := range n {
		for i := range p.Size() {
			one(p, i, now, true, outcome(i, k))
		}
		now += second / 2
		p.Tick(now)
	}
	return now
}

// one is a request whose response takes a millisecond.
func one(p *Pool, i int, now int64, byLoad bool, o Outcome) {
	f := new(Flight)
	of := textOf(8000)
	binary.LittleEndian.PutUint64(of.Text, uint64(now)+uint64(i)) // as no other begins
	p.Prepare(f, of, nil, 0)
	p.Match(f)
	p.Expect(f, i)
	p.NoteChoice(f, byLoad)
	p.Begin(f, i, now)
	p.End(f, now+1e6, o)
}

func class(p *Pool, i int, now int64) Class { return p.Look(now)[i].Class }

var (
	denied = Outcome{Lost: true}
	found  = Outcome{Usage: true, PromptTokens: 2000, CachedTokens: 2000}
)

// What gives no tokens where others do comes after them. A client does not bring that about for an endpoint that is well, whatever it sends.
func TestBarren(t *testing.T) {
	for _, c := range []struct {
		name    string
		size    int
		outcome func(i, n int) Outcome // of the n-th request of endpoint i
		want    Class                  // of endpoint 0
	}{
		{"refuses all", 8, func(i, _ int) Outcome { return only(i == 0, denied) }, Barren},
		{"of two", 2, func(i, _ int) Outcome { return only(i == 0, denied) }, Barren},
		{"answers with nothing", 3, func(i, _ int) Outcome { return only(i == 0, Outcome{}) }, Barren},
		{"a share, or one model of two", 3, func(i, n int) Outcome { return only(i == 0 && n%2 == 0, denied) }, Barren},
		{"beside clients at fault", 8, func(i, n int) Outcome { return only(i == 0 || n%3 == 0, denied) }, Barren},
		{"a few", 8, func(i, n int) Outcome { return only(i == 0 && n%5 == 0, denied) }, Well},
		{"all refuse all", 8, func(int, int) Outcome { return denied }, Well},
		{"clients at fault", 8, func(_, n int) Outcome { return only(n%10 != 0, denied) }, Well},
		{"clients at fault, by chance more of them there", 3, func(i, n int) Outcome { return only(n%10 < 5 || i == 0 && n%10 == 5, denied) }, Well},
		{"none says usage", 3, func(int, int) Outcome { return Outcome{} }, Well},
		{"an only one", 1, func(int, int) Outcome { return denied }, Well},
		{"clients leave", 3, func(i, _ int) Outcome { return only(i == 0, Outcome{Lost: true, Ending: health.Cancelled}) }, Well},
	} {
		p := newPool(c.size)
		now := yields(p, second, 60, c.outcome)
		if got := class(p, 0, now); got != c.want {
			t.Errorf("%s: class %d, want %d", c.name, got, c.want)
		}
		for i := 1; i < c.size; i++ {
			if class(p, i, now) != Well {
				t.Errorf("%s: endpoint %d is not well", c.name, i)
			}
		}
	}
}

func only(that bool, o Outcome) Outcome {
	if that {
		return o
	}
	return found
}

// It takes few requests, and few that are answered end it.
func TestBarrenSoon(t *testing.T) {
	p, n := newPool(8), 0
	now := yields(p, second, 10, func(int, int) Outcome { return found })
	for class(p, 0, now) == Well && n < 100 {
		n++
		one(p, 0, now, true, denied)
	}
	if n > 12 {
		t.Errorf("after %d requests, want 12 at most", n)
	}
	tries := 0
	for range 7200 {
		now = yields(p, now, 1, func(i, _ int) Outcome {
			if i > 0 || class(p, 0, now) == Barren {
				return Outcome{Lost: true, Ending: health.Cancelled} // it does not get one
			}
			tries++
			return denied
		})
		for i := 1; i < p.Size(); i++ {
			one(p, i, now, true, found)
		}
	}
	if tries < 20 || tries > 240 {
		t.Errorf("%d tries in an hour in which it refuses, want one each 15 s to 3 minutes", tries)
	}
	if now = yields(p, now+200*second, 200, func(int, int) Outcome { return found }); class(p, 0, now) != Well {
		t.Error("it answers again, and is not well")
	}
}

// Requests that go to an endpoint for what it alone holds, or by the ring, do not count: a client can send bad ones there.
func TestBadRequestsToOneEndpoint(t *testing.T) {
	p := newPool(8)
	now := yields(p, second, 20, func(int, int) Outcome { return found })
	held := beginsWith('h', 4000, 'x', 4000)
	end(p, send(p, 0, held, now), now, health.Answered)
	for n := range 400 {
		now += second / 10
		one(p, 0, now, false, denied)
		of := beginsWith('h', 4000, byte(n), 4000)
		bad(p, of, now)
		if p.Tick(now); class(p, 0, now) != Well {
			t.Fatalf("after %d requests it is not well", n)
		}
	}
}

// bad is a request of that prompt that endpoint 0 denied, as one that load has sent there.
func bad(p *Pool, of *prompt.Prompt, now int64) {
	f := new(Flight)
	p.Prepare(f, of, nil, 0)
	p.Match(f)
	p.Expect(f, 0)
	p.NoteChoice(f, true)
	p.Begin(f, 0, now)
	p.End(f, now+1e6, denied)
}

// At most half of the pool comes after the others.
func TestHalfOfThePoolIsBarren(t *testing.T) {
	p := newPool(8)
	now := yields(p, second, 60, func(i, _ int) Outcome { return only(i < 6, denied) })
	n := 0
	for i := range p.Size() {
		if class(p, i, now) == Barren {
			n++
		}
	}
	if n > 4 {
		t.Errorf("%d of 8 are barren", n)
	}
}

// What was answered with nothing is not taken to be cached, once usage has shown what answers have.
func TestEmptyAnswersAreNotCached(t *testing.T) {
	p, now := newPool(2), second
	for range 100 {
		f := begin(p, 1, now, 2000, true)
		p.FirstToken(f, now+second/5)
		p.End(f, now+second, Outcome{Usage: true, PromptTokens: 2000, OutputTokens: 10})
		now += 2 * second
	}
	of := beginsWith('e', 4000, 'x', 4000)
	for _, c := range []struct {
		o    Outcome
		want bool
	}{{Outcome{Mute: true}, false}, {Outcome{}, true}, {found, true}} {
		f := send(p, 0, of, now)
		p.FirstToken(f, now+1e6)
		p.End(f, now+1e6, c.o)
		now += 2 * second
		if f = send(p, 0, of, now); f.Matched > 0 != c.want {
			t.Errorf("%+v: %d blocks are believed to be cached", c.o, f.Matched)
		}
		end(p, f, now, health.Cancelled)
		p.Index.Drop(0)
	}
}
