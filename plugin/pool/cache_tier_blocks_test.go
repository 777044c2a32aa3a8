package pool

import (
	"math/rand/v2"
	"slices"
	"testing"

	"warmroute/plugin/health"
)

// Servers whose caches find whole blocks of 544 or 1,056 tokens alone, as those of hybrid models, find a half or nothing of prompts of 1,000 tokens
// that they hold. That shows no tier that has lost them.
func TestLargeBlocksAreNoSmallTier(t *testing.T) {
	for _, block := range []int{16, 544, 1056} {
		p, random := newPool(4), rand.New(rand.NewPCG(1, 1))
		caches, counts := [4]simulated{}, [4]part{}
		for n := range 8000 {
			f, k, e, now := new(Flight), random.IntN(200), random.IntN(4), int64(n+1)*second/4
			p.Prepare(f, numbered(k), nil, 0)
			if depth := p.Match(f); int(slices.Max(depth)) == f.Total {
				e = slices.Index(depth, slices.Max(depth))
			}
			p.Expect(f, e)
			p.Begin(f, e, now)
			if caches[e].room = 100; caches[e].use(k) {
				counts[e].some += float64(999 / block * block)
			}
			counts[e].all += 1000
			p.End(f, now, Outcome{Ending: health.Answered})
			for i := range counts {
				if page := tiered(10_000, 0, counts[i]); n%4 == 3 {
					page.HitTokens = float64(block)
					p.ApplyMetrics(i, now, page)
				}
			}
		}
		if held := holds(p, 200); held < 190 {
			t.Errorf("blocks of %d tokens: %d of 200 prompts are believed to be held, and all are", block, held)
		}
	}
}
