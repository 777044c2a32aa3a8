package pool

import (
	"testing"

	"warmroute/plugin/health"
)

// What an endpoint computes of what another one holds is a copy, and counts as computed again only if it had been there, and was evicted.
func TestCopiesCountIfTheyWereEvicted(t *testing.T) {
	p, now := newPool(2), int64(second)
	ask := func(i int, first byte) {
		of, f := textOf(4*4000), new(Flight)
		of.Text[0] = first
		p.Prepare(f, of, nil, 0)
		most, second := int32(0), int32(0)
		for _, depth := range p.Match(f) {
			most, second = max(most, depth), max(second, min(most, depth))
		}
		p.Return(f, int(most), int(second), now-60*1e9)
		p.Expect(f, i)
		p.Begin(f, i, now)
		p.FirstToken(f, now+1e8)
		p.End(f, now+2e8, Outcome{Ending: health.Answered})
		now += 1e9
	}
	p.SetCache(0, 10_000) // two prompts, and not three
	p.SetCache(1, 1e6)
	ask(1, 'a')
	ask(0, 'a')
	if got := p.Again.Share(0); got != 0 {
		t.Errorf("%v of what is computed is computed again, and nothing was evicted", got)
	}
	for _, first := range []byte("bcd") {
		ask(0, first)
	}
	if got := p.Again.Share(0); got != 0 {
		t.Errorf("%v of what is computed is computed again, and all of it was new", got)
	}
	ask(0, 'a')
	if got := p.Again.Share(0); got < 0.1 || got > 0.2 {
		t.Errorf("%v of what is computed is computed again, want one of six prompts", got)
	}
}
