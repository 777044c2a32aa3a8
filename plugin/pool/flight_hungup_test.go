package pool

import (
	"testing"

	"warmroute/plugin/exposition"
	"warmroute/plugin/health"
	"warmroute/plugin/prompt"
)

// What was computed of a prompt whose client hung up is held: as much as there was time for, once all before it was computed.
func TestHungUp(t *testing.T) {
	const tokens = 40_000 // 4 s at the assumed rate
	whole := textOf(4 * tokens)
	part := *whole
	part.Truncated = true
	fetched := *whole
	fetched.Fetched = true
	for name, c := range map[string]struct {
		of          *prompt.Prompt
		after       int64 // ns
		ahead       int   // tokens
		least, most float64
	}{
		"at once":                               {whole, 1e6, 0, 0, 40},
		"after a tenth":                         {whole, 4e8, 0, .1 * tokens, .1*tokens + step},
		"after half":                            {whole, 2e9, 0, .5 * tokens, .5*tokens + step},
		"nearly computed":                       {whole, 39e8, 0, tokens, tokens},
		"late":                                  {whole, 60e9, 0, tokens, tokens},
		"queued":                                {whole, 39e8, 39_500, 0, 0},
		"computed after that":                   {whole, 8e9, 39_500, tokens, tokens},
		"not sent as a whole":                   {&part, 60e9, 0, 0, 0},
		"with pictures that the server fetches": {&fetched, 60e9, 0, 0, 0},
	} {
		p := newPool(1)
		other := textOf(4 * c.ahead)
		other.Model = []byte("another")
		send(p, 0, other, second)
		before := p.Index.Held(0)
		f := send(p, 0, c.of, second)
		p.End(f, second+c.after, Outcome{Ending: health.Cancelled, Lost: true, HungUp: true})
		if got := float64(p.Index.Held(0)-before) / 4; got < c.least-4096 || got > c.most { // the last blocks are of 16 KB
			t.Errorf("%s: %v tokens are held, want %v to %v", name, got, c.least, c.most)
		}
	}
}

// One that waits for memory is not computed meanwhile, however long its client waits.
func TestHungUpWithoutMemory(t *testing.T) {
	for usage, held := range map[float64]bool{.1: true, 1: false} {
		p := newPool(1)
		p.ApplyMetrics(0, second, &exposition.Load{Has: exposition.HasRunning | exposition.HasKVTokens | exposition.HasKVUsage, Running: 1, KVTokens: 100_000, KVUsage: usage})
		f := send(p, 0, textOf(160_000), second)
		p.End(f, 61*second, Outcome{Ending: health.Cancelled, Lost: true, HungUp: true})
		if got := p.Index.Held(0); (got > 0) != held {
			t.Errorf("%v of the memory in use: %d bytes are held", usage, got)
		}
	}
}

// However many hang up, no more of their prompts is taken to be held than an endpoint can have begun.
func TestManyHangUp(t *testing.T) {
	const rate, seconds = 10_000, 4
	for _, after := range []int64{1e6, 1e7, 1e8, 1e9} {
		p := newPool(1)
		at, now := int64(0), second
		var under []*Flight
		for n := 0; at < seconds*second; n++ { // ten at a time, each with a text of its own
			of := textOf(4 * 8000)
			copy(of.Text, []byte{byte(n), byte(n >> 8), byte(n >> 16)})
			under = append(under, send(p, 0, of, now+at))
			if len(under) == 10 {
				for _, f := range under {
					p.End(f, now+at+after, Outcome{Ending: health.Cancelled, Lost: true, HungUp: true})
				}
				under, at = under[:0], at+after
			}
		}
		if got := float64(p.Index.Held(0)) / 4; got > atOnce*rate*(seconds+1) {
			t.Errorf("who hangs up after %v s fills the cache with %v tokens in %d s, of which an endpoint computes %d", float64(after)/1e9, got, seconds, rate*seconds)
		}
	}
}
