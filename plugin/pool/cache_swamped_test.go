package pool

import (
	"testing"

	"warmroute/plugin/health"
)

// Long prompts that are sent together and hung up on before anything is computed take no more than half of what is believed of a cache, and one of
// them more; they are believed once they have been computed.
func TestHungUpTogether(t *testing.T) {
	for _, c := range []struct{ prompts, least int }{{1, 560}, {4, 250}, {8, 190}, {40, 190}} {
		p, now := believing(640)
		p.SetCache(0, 640*1000)
		for i := range 640 {
			p.End(send(p, 0, numbered(i), now), now, cachedOf(16))
		}
		var all []*Flight
		for k := range c.prompts {
			of := textOf(400_000)
			of.Text[0] = byte('A' + k)
			all = append(all, send(p, 0, of, now))
		}
		now += 5e6
		last := all[len(all)-1]
		if deferred := c.prompts > 6; last.deferred != deferred {
			t.Errorf("%d prompts: the last is deferred: %v", c.prompts, last.deferred)
		}
		for _, f := range all[:len(all)-1] {
			p.End(f, now, Outcome{Ending: health.Cancelled, Lost: true})
		}
		if got := believed(p); got < c.least {
			t.Errorf("%d prompts: %d of 640 are believed, want %d", c.prompts, got, c.least)
		}
		last.Entered()
		p.FirstToken(last, now+100*second)
		if told := last.Entered().Chain != nil; told != (c.prompts > 6) || int(p.Match(last)[0]) != last.Total {
			t.Errorf("%d prompts: the last is computed: told %v, %d of %d blocks are believed", c.prompts, told, p.Match(last)[0], last.Total)
		}
		p.End(last, now+200*second, Outcome{Ending: health.Answered, Usage: true, PromptTokens: 100_000})
		if int(p.Match(last)[0]) != last.Total {
			t.Errorf("%d prompts: the last has been answered, and is not believed", c.prompts)
		}
	}
}
