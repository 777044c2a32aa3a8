package pool

import (
	"math/rand/v2"
	"slices"
	"testing"

	"warmroute/plugin/exposition"
	"warmroute/plugin/health"
)

// tiered is a page of a server whose memory has room for that many tokens, and which has a tier for so many more; 0: it does not say.
func tiered(tokens, tier float64, counted part) *exposition.Load {
	return &exposition.Load{
		Has:      exposition.HasKVTokens | exposition.HasTier | exposition.HasCacheHits | exposition.HasCacheQueries,
		KVTokens: tokens, TierTokens: tier, CacheHits: counted.some, CacheQueries: counted.all,
	}
}

// holds says how many of the n numbered prompts some endpoint is believed to hold.
func holds(p *Pool, n int) (held int) {
	for k := range n {
		f := new(Flight)
		p.Prepare(f, numbered(k), nil, 0)
		if int(slices.Max(p.Match(f))) == f.Total {
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
		want := min(2*max(room, 10), 250) // of both
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

// A cache that is found to hold more than is believed is not taken to be smaller, however little of it is held just then.
func TestMoreIsFoundThanHeld(t *testing.T) {
	p := newPool(1)
	p.ApplyMetrics(0, second, tiered(10_000, 0, part{}))
	p.tiers.times = 10
	p.fitCache(0)
	counted := part{}
	for n := range 60 {
		p.End(send(p, 0, numbered(n%6), int64(n+2)*second), int64(n+2)*second, Outcome{Ending: health.Answered})
		counted.all, counted.some = counted.all+1000, counted.some+990
		p.ApplyMetrics(0, int64(n+2)*second, tiered(10_000, 0, counted))
	}
	if size, _ := p.Index.Capacity(0); size < 400_000 {
		t.Errorf("a cache of %d bytes after more was found than was held, before 400,000", size)
	}
}

// A server says that millions of tokens were looked up in vain, of which none was sent from here: that says nothing of what was.
func TestOthersTrafficSizesNoTier(t *testing.T) {
	p, random := newPool(8), rand.New(rand.NewPCG(1, 1))
	counts := [8]part{}
	for n := range 4000 {
		e, now := n%8, int64(n+1)*second/10
		counts[e].all += 1000
		if k := random.IntN(25); e > 0 {
			f := send(p, e, numbered(e*25+k), now)
			if f.Matched > 0 { // all of it is found
				counts[e].some += 992
			}
			p.End(f, now+second/20, Outcome{Ending: health.Answered})
		}
		if e == 0 {
			counts[0].all += 1e15
		}
		p.ApplyMetrics(e, now, tiered(10_000, 0, counts[e]))
	}
	if held := holds(p, 200); held < 150 {
		t.Errorf("%d of 175 prompts are believed to be held", held)
	}
}

// What a conversation finds of its last answer was never believed to be gone, and makes no cache larger.
func TestAnswersMakeNoCacheLarger(t *testing.T) {
	p, now := newPool(1), 10*second
	p.ApplyMetrics(0, now, tiered(10_000, 0, part{}))
	p.Index.SetCapacity(0, 500_000)
	p.End(send(p, 0, numbered(1000), now), now, cachedOf(16))
	for n := range 50 {
		for turn := range 2 {
			of := numbered(n)
			of.Text = append(of.Text, make([]byte, 8000*turn)...)
			of.BodyBytes = len(of.Text)
			now += 100 * second / 1000
			cached := []int{0, 2900}[turn] // the first turn's 1,000 and an answer
			p.End(send(p, 0, of, now), now, Outcome{Usage: true, PromptTokens: len(of.Text) / 4, CachedTokens: cached})
		}
	}
	if size, _ := p.Index.Capacity(0); size > 500_000 {
		t.Errorf("a cache of %d bytes, before 500,000", size)
	}
}
