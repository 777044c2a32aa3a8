package pool

import (
	"encoding/binary"
	"testing"

	"warmroute/plugin/health"
)

// An endpoint that breaks off answers where others do not comes after them, though each first token is a sign of life. Where all do, where a few are,
// or where clients leave, none does.
func TestBrokenAnswersDrawNoRequests(t *testing.T) {
	broken, left := Outcome{Ending: health.Broken}, Outcome{Ending: health.Cancelled}
	for _, c := range []struct {
		name    string
		size    int
		outcome func(i, n int) Outcome // of the n-th request of endpoint i
		want    Class                  // of endpoint 0
	}{
		{"one breaks off all", 3, func(i, _ int) Outcome { return only(i == 0, broken) }, Barren},
		{"of two", 2, func(i, _ int) Outcome { return only(i == 0, broken) }, Barren},
		{"half of them", 8, func(i, n int) Outcome { return only(i == 0 && n%2 == 0, broken) }, Barren},
		{"a few", 8, func(i, n int) Outcome { return only(i == 0 && n%5 == 0, broken) }, Well},
		{"all break off all", 3, func(int, int) Outcome { return broken }, Well},
		{"clients leave", 3, func(i, _ int) Outcome { return only(i == 0, left) }, Well},
	} {
		p := newPool(c.size)
		now := begins(p, second, 40, c.outcome)
		if got := class(p, 0, now); got != c.want {
			t.Errorf("%s: class %d, want %d", c.name, got, c.want)
		}
		if c.want == Barren {
			if now = begins(p, now, 600, func(int, int) Outcome { return found }); class(p, 0, now) != Well {
				t.Errorf("%s: it has answered since, and still comes after the others", c.name)
			}
		}
	}
}

// begins is yields where each answer begins.
func begins(p *Pool, now int64, n int, outcome func(i, n int) Outcome) int64 {
	for k := range n {
		for i := range p.Size() {
			f, of := new(Flight), textOf(8000)
			binary.LittleEndian.PutUint64(of.Text, uint64(now)+uint64(i))
			p.Prepare(f, of, nil, 0)
			p.Match(f)
			p.Expect(f, i)
			p.NoteChoice(f, true)
			p.Begin(f, i, now)
			p.FirstToken(f, now+1e6)
			p.End(f, now+2e6, outcome(i, k))
		}
		now += second / 2
		p.Tick(now)
	}
	return now
}
