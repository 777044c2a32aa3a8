package pool

import (
	"math"

	"warmroute/plugin/exposition"
	"warmroute/plugin/prefix"
)

// Some servers keep what their KV memory evicts: in the host's memory (vLLM's --kv-offloading-size, SGLang's --enable-hierarchical-cache),
// on a disk or in a store (LMCache, Mooncake). It is found again there, and copied back in a small part of the time that computing it takes. So
// the memory that such a server's metrics name is no bound of what its cache holds. SGLang's metrics say how much the host's memory has
// room for, and so do vLLM's from 0.33 on; else they show only that the server has one.
//
// Then the tier is taken to hold everything until something shows that it does not: what is believed too long is tested, as requests follow
// it, and what is forgotten too soon never is. Where responses tell their cached tokens, they show it, as of any cache (correct). Else the
// metrics do: what part of all prompt tokens was found, beside what part of those sent there was believed to be. One endpoint's requests are few,
// so all that tell nothing else are taken together, as if each had a tier in proportion to its own memory.

// tier is what is known of KV that a server keeps beyond its own memory.
type tier struct {
	there  bool
	tokens float64 // that it has room for, by the server's metrics; 0: they do not say
	last   part    // tokens that were found, of those looked up: the counters on the last page that has both
	sent   sent    // since then
}

// isUnsized says whether the server has one, and its metrics do not say how much that has room for.
func (t *tier) isUnsized() bool { return t.there && t.tokens == 0 }

// sent is prompts that were computed. Numbers are bytes.
type sent struct {
	cached part    // that were believed to be cached, of all
	sure   float64 // of those cached, what had had time to be computed
	square float64 // sum of the squares of the prompts' bytes
}

// tiers is what the metrics of servers show whose tiers have an unknown size, and whose responses tell no cached tokens.
type tiers struct {
	times float64 // an endpoint's cache ÷ its own memory; 0: it holds everything
	sent
	found float64 // bytes of cached.all that were found, by the servers' metrics
	next  float64 // cached.all from which on they are compared again
}

// memories is the tokens that fit into the own memories of servers that have a tier.
type memories struct {
	all   []float64 // of compareMemories and fitGrain
	usual float64   // their median; 0: none says it
}

// part is so much of a whole.
type part struct{ some, all float64 }

func (p part) share() float64 { return p.some / p.all }

const (
	unsized = 1 << 50 // bytes of a cache whose tier may hold any

	// usualTier is how many times as many tokens as its own memory a server may keep of what others had sent there before, where nothing
	// shows it: host memory is 4 to 16 times as large.
	usualTier = 16

	// What is found is compared each time as much more was looked up as a part of the servers' own memory; once that was all of what is
	// believed to be held, earlier prompts count half.
	tierPart  = 8
	tierLeast = 1 << 16 // bytes

	// tierApart is how many times the median of all memories one may be, to count with them: else a single page would say for all that too
	// little was looked up to tell.
	tierApart = 16

	// It is no chance if so many standard errors more, or less, is found than was believed: it is looked at often, and a size that is too
	// small is not found out. Then, for each part x of prompts beyond those, caches are taken to be tierPace × x larger or smaller, at
	// most tierStep at a time.
	tierMore  = 1
	tierFewer = 3
	tierPace  = 4
	tierStep  = 0.25
)

// setTier takes from a page of endpoint i's metrics whether it keeps KV elsewhere. A page without the memory's size does not say.
func (p *Pool) setTier(i int, l *exposition.Load) {
	if p.Index == nil || l.Has&exposition.HasKVTokens == 0 || l.Truncated {
		return
	}
	p.setGrain(i, l.HitTokens)
	t, there := &p.ends[i].cache.tier, l.Has&exposition.HasTier != 0
	if t.there == there && t.tokens == l.TierTokens {
		return
	}
	*t = tier{there: there, tokens: l.TierTokens}
	p.compareMemories()
	p.fitCache(i)
}

// fits is the bytes that are taken to fit into a cache, whose own memory has room for so many, and the most that may.
func (p *Pool) fits(c *cache, own float64) (bytes, most float64) {
	switch t := &c.tier; {
	case !t.there:
		return own, own
	case t.tokens > 0:
		most = max(own, t.tokens*p.cacheBytes)
		return most, most
	case c.tellsByPages() && p.tiers.times > 0:
		return own * p.tiers.times, unsized
	}
	return unsized, unsized
}

// keeps is the tokens that a cache may hold of what was looked up in it.
func (p *Pool) keeps(c *cache) float64 {
	switch t := &c.tier; {
	case !t.there:
		return c.said
	case t.tokens > 0:
		return max(c.said, t.tokens)
	case c.tellsByPages() && p.tiers.times > 0:
		return c.said * p.tiers.times
	}
	return c.said * usualTier
}

// tellsByPages says whether nothing but pages of metrics shows how large the cache is.
func (c *cache) tellsByPages() bool { return c.tier.isUnsized() && !c.reportsHits }

// sizesTiers says whether what pages say of the cache tells of other tiers, too: its memory is not apart from all others'.
func (p *Pool) sizesTiers(c *cache) bool {
	return c.tellsByPages() && c.said >= 1 && c.said <= tierApart*p.memories.usual && c.said*p.cacheBytes < unsized
}

// compareMemories is called where a server that has a tier says another size of its memory.
func (p *Pool) compareMemories() {
	m := &p.memories
	m.all = m.all[:0]
	for i := range p.ends {
		if c := &p.ends[i].cache; c.tier.there && c.said >= 1 {
			m.all = append(m.all, c.said)
		}
	}
	m.usual = median(m.all)
}

// tellsByResponses says whether responses show how large the cache is, and nothing else.
func (c *cache) tellsByResponses() bool { return c.tier.isUnsized() && c.reportsHits }

// foundAgain takes a response of endpoint i that found so many bytes more than were believed to be left of what had been sent before.
func (p *Pool) foundAgain(i, bytes int) {
	if size, known := p.Index.Capacity(i); known && bytes > 0 && p.ends[i].cache.tier.there {
		p.Index.SetCapacity(i, min(size+int64(bytes), p.ends[i].cache.most))
	}
}

// evicts says whether so many bytes that are left of a cache show a tier that has evicted the rest, and not a cache that was emptied: they are
// at least the server's own memory.
func (p *Pool) evicts(c *cache, left int64) bool {
	return c.tier.isUnsized() && c.said >= 1 && float64(left) >= c.said*p.cacheBytes
}

// expectHits takes a prompt that its endpoint has answered. One that was decided on before all of it was read was believed to be held to a
// part that is counted too small, which is the safe side.
func (p *Pool) expectHits(f *Flight) {
	if f.moved || !p.same(f) || !p.ends[f.endpoint].cache.tellsByPages() {
		return
	}
	c, held, bytes := &p.ends[f.endpoint].cache, float64(f.Chain.Covered(f.Matched)), float64(f.bytes)
	sure := float64(f.believed())
	if f.grain > 0 {
		held = f.cachedOfPrompts(f.Matched) * f.perToken
	}
	if f.atypical { // its server may not look it up
		held, sure = 0, 0
	}
	t := &c.tier.sent
	t.cached.some += held
	t.cached.all += bytes
	t.square += float64(bytes * bytes)
	if int32(millis(f.begun)-f.touched) >= ripe {
		t.sure += max(sure-max(c.hitTokens*f.perToken-prefix.DefaultBlockBytes, 0), 0) // what is believed ends with a block of the index
	}
}

// compareHits takes what a page of endpoint i's metrics says of hits.
func (p *Pool) compareHits(i int, l *exposition.Load) {
	const both = exposition.HasCacheHits | exposition.HasCacheQueries
	c := &p.ends[i].cache
	if l.Has&both != both || l.Truncated || !c.tier.there {
		return
	}
	before, now := c.tier.last, part{l.CacheHits, l.CacheQueries}
	looked := now.all - before.all
	if looked == 0 {
		return
	}
	sent, none := c.tier.sent, sent{}
	c.tier.last, c.tier.sent = now, none
	if before.all == 0 || looked < 0 || now.some < before.some || !p.sizesTiers(c) {
		return
	}
	t := &p.tiers // each server's word counts by what was sent there
	t.found += float64(sent.cached.all * min((now.some-before.some)/looked, 1))
	t.cached.some, t.cached.all, t.sure, t.square = t.cached.some+sent.cached.some, t.cached.all+sent.cached.all, t.sure+sent.sure, t.square+sent.square
	if t.cached.all >= t.next {
		p.sizeTiers()
	}
}

// sizeTiers learns the size of tiers from what was found there, where that is enough.
func (p *Pool) sizeTiers() {
	t, own, held := &p.tiers, 0.0, 0.0
	for i := range p.ends {
		if c := &p.ends[i].cache; p.sizesTiers(c) {
			own += float64(c.said * p.cacheBytes)
			held += float64(p.Index.Held(i))
		}
	}
	least := max(own/tierPart, tierLeast)
	if t.next = max(t.cached.all, least) + least; t.cached.all < least || own == 0 {
		t.next = least
		return
	}
	found, times := t.found/t.cached.all, held/own
	chance := math.Sqrt(found*(1-found)*t.square) / t.cached.all
	switch more, fewer := found-t.cached.share()-tierMore*chance, found-t.sure/t.cached.all+float64(tierFewer*chance)+1.0/tokenError; {
	case more > 0 && t.times > 0: // as much as is held may be less than would be
		times = max(t.times, times) * (1 + min(tierPace*more, tierStep))
	case fewer < 0 && held > own: // what fits into the servers' own memory shows nothing of a tier
		times *= 1 + max(tierPace*fewer, -tierStep)
	default:
		if t.cached.all > max(own, held) {
			t.halve()
		}
		return
	}
	*t = tiers{times: max(times, 1)}
	for i := range p.ends {
		if p.ends[i].cache.tellsByPages() {
			p.fitCache(i)
		}
	}
}

func (t *tiers) halve() {
	for _, sum := range []*float64{&t.found, &t.cached.some, &t.cached.all, &t.sure, &t.square, &t.next} {
		*sum /= 2
	}
}
