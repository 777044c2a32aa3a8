package pool

import (
	"math/rand/v2"
	"testing"

	"warmroute/plugin/exposition"
)

// tiered is a page of a server whose memory has room for that many tokens, and which has a tier for so many more; 0: it does not say.
func tiered(tokens, tier float64, counted part) *exposition.Load {
	return &exposition.Load{
		Has:      exposition.HasKVTokens | exposition.HasTier | exposition.HasCacheHits | exposition.HasCacheQueries,
		KVTokens: tokens, TierTokens: tier, CacheHits: counted.some, CacheQueries: counted.all,
	}
}

// holds says how many of the n numbered prompts an endpoint is believed to hold.
func holds(p *Pool, n int) (held int) {
	for k := range n {
		f := new(Flight)
		p.Prepare(f, numbered(k), nil, 0)
		if int(p.Match(f)[0]) == f.Total {
			held++
		}
	}
	return held
}

// A server whose memory holds ten prompts of 1,000 tokens is sent a hundred. What its memory evicts, its tier keeps.
func TestTierKeepsWhatMemoryEvicts(t *testing.T) {
	for _, c := range []struct {
		what        string
		page        exposition.Load
		least, most int
	}{
		{"without a tier", exposition.Load{Has: exposition.HasKVTokens, KVTokens: 10_000}, 9, 10},
		{"with one of 40,000 tokens", *tiered(10_000, 40_000, part{}), 39, 41},
		{"with one that is smaller than the memory", *tiered(10_000, 2_000, part{}), 9, 10},
		{"with one whose size is not said", *tiered(10_000, 0, part{}), 100, 100},
	} {
		p, now := newPool(1), second
		p.ApplyMetrics(0, now, &c.page)
		for n := range 100 {
			p.End(send(p, 0, numbered(n), now), now, Outcome{})
			now += second
		}
		if held := holds(p, 100); held < c.least || held > c.most {
			t.Errorf("%s: %d of 100 prompts are believed to be held, not %d to %d", c.what, held, c.least, c.most)
		}
	}
}

// Where responses tell their cached tokens, the size of a tier is learned from them: it holds forty prompts of 250 that come by chance.
func TestTierIsSizedByResponses(t *testing.T) {
	p, now := newPool(1), second
	p.ApplyMetrics(0, now, tiered(10_000, 0, part{}))
	lru, random := simulated{room: 40}, rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		k := random.IntN(250)
		cached := 0
		if lru.use(k) {
			cached = 976 + 16*random.IntN(2) // its own blocks are of 16 tokens
		}
		p.End(send(p, 0, numbered(k), now), now, cachedOf(cached))
		now += second
	}
	if held := holds(p, 250); held < 30 || held > 70 {
		t.Errorf("%d prompts are believed to be held, where it holds 40", held)
	}
}

// Where nothing but metrics tells what is found, they show it, of all such servers together; a tier is never taken to be less than nothing.
func TestTierIsSizedByMetrics(t *testing.T) {
	for _, room := range []int{0, 40, 400} {
		p := newPool(2)
		caches, counts := [2]simulated{{room: max(room, 10)}, {room: max(room, 10)}}, [2]part{}
		now, random := second, rand.New(rand.NewPCG(1, 1))
		for n := range 6000 {
			e := n & 1
			k := random.IntN(250)
			if counts[e].all += 1000; caches[e].use(k) {
				counts[e].some += 992
			}
			p.End(send(p, e, numbered(k), now), now, Outcome{})
			if n%4 < 2 {
				p.ApplyMetrics(e, now, tiered(10_000, 0, counts[e]))
			}
			now += second
		}
		want := min(max(room, 10), 250)
		if held := holds(p, 250); held < want*7/10 || held > want*2 {
			t.Errorf("with room for %d prompts %d are believed to be held", want, held)
		}
	}
}

// A server that starts again has lost its tier's content, and not the tier.
func TestTierAfterRestart(t *testing.T) {
	p, now := newPool(1), second
	p.ApplyMetrics(0, now, tiered(10_000, 0, part{10_000, 90_000}))
	for n := range 50 {
		p.End(send(p, 0, numbered(n), now), now, Outcome{})
		now += second
	}
	p.ApplyMetrics(0, now, tiered(10_000, 0, part{0, 0}))
	if held := holds(p, 50); held > 0 {
		t.Errorf("%d prompts are believed to be held by a server that has restarted", held)
	}
	for n := range 50 {
		p.End(send(p, 0, numbered(n), now), now, Outcome{})
		now += second
	}
	if held := holds(p, 50); held != 50 {
		t.Errorf("%d of 50 prompts are believed to be held later", held)
	}
}

// Counters that a lying page makes huge or lets fall change no more than the belief, and never to less than the memory.
func TestTierOfLyingMetrics(t *testing.T) {
	p, now := newPool(1), second
	for n := range 400 {
		counted := []part{{0, 1e18}, {1e18, 1e18}, {5, 1}, {0, 0}, {1e18, 3}}[n%5]
		p.ApplyMetrics(0, now, tiered(10_000, float64(n%3)*1e18, counted))
		p.End(send(p, 0, numbered(n), now), now, Outcome{})
		if size, _ := p.Index.Capacity(0); size < 40_000 {
			t.Fatalf("page %d: a cache of %d bytes, where the memory alone holds 40,000", n, size)
		}
		now += second
	}
}

// simulated is a cache of so many prompts, the least recently used evicted first.
type simulated struct {
	room int
	used []int
}

// use says whether the cache has the prompt, which it holds from then on.
func (s *simulated) use(prompt int) (had bool) {
	for i, k := range s.used {
		if k == prompt {
			s.used, had = append(s.used[:i], s.used[i+1:]...), true
			break
		}
	}
	if s.used = append(s.used, prompt); len(s.used) > s.room {
		s.used = s.used[1:]
	}
	return had
}
