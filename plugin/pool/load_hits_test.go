package pool

import (
	"testing"

	"warmroute/plugin/exposition"
	"warmroute/plugin/health"
)

// An endpoint that says of prompts nobody has sent before that they were cached, or hardly a token long, has been given as much work as one that
// does not. What was sent before may be cached, and what other gateways send, too.
func TestHitsThatCannotBe(t *testing.T) {
	for name, c := range map[string]struct {
		prompt, cached, others int
		again                  bool
		least, most            float64
	}{
		"all is computed":                              {1000, 0, 0, false, 950, 1050},
		"all was cached":                               {1000, 1000, 0, false, 800, 1050},
		"it has few tokens":                            {600, 0, 0, false, 580, 620},
		"it has hardly any":                            {1, 1, 0, false, 190, 260},
		"all was cached, and was sent before":          {1000, 1000, 0, true, 0, 300},
		"all was cached, and other gateways are there": {1000, 1000, 100, false, 0, 300},
	} {
		p, now := newPool(2), second
		of := numbered(1)
		if c.again {
			p.End(send(p, 1, of, now), now, cachedOf(0))
		}
		for i := range 2 {
			p.ApplyMetrics(i, now, &exposition.Load{Has: exposition.HasRunning | exposition.HasWaiting, Running: float64(c.others)})
		}
		p.Tick(now)
		f := send(p, 0, of, now+second)
		p.FirstToken(f, now+2*second)
		p.End(f, now+2*second, Outcome{Ending: health.Answered, Usage: true, PromptTokens: c.prompt, CachedTokens: c.cached})
		if _, work := p.OwnWork(0, now+2*second); work < c.least || work > c.most {
			t.Errorf("%s: it was given %.0f tokens, want %v to %v", name, work, c.least, c.most)
		}
	}
}
