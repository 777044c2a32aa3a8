package pool

import "warmroute/plugin/prefix"

// cache is the size of an endpoint's cache. The server's own figure is an upper bound, because responses and other
// gateways' prompts take room as well. So the size is learned like the window of a TCP connection: if a cache held less
// than was believed, its size is taken to be what is newer than the block that was evicted; each belief that proves true
// lets it grow by a hundredth, up to the server's figure.
//
// A single response proves no more than that its own blocks were gone. That all older ones are gone as well follows only
// if the cache is LRU and the response is what it seems, so it needs a second response at least doubtSpan later, and none
// between them that shows as old a belief to be true. Until then each response expires as many bytes as it disproves.
type cache struct {
	said        float64 // tokens, by its metrics; 0: not known
	most        int64   // those tokens in bytes of prompt
	grain       int     // tokens in one of the cache's own blocks: the divisor of all true hits; 0: no hit yet
	reportsHits bool    // one of its responses had cached tokens
	doubt       doubt
	hitTokens   float64 // tokens that hits are multiples of, by its metrics; 0: not known
	tier        tier
	paged       bool    // a page of its metrics was read
	earlier     float64 // prompt tokens that had been looked up in it by then
	emptied     int64   // ns: when EmptyCache was called last
}

// doubt is what speaks against everything that a cache is believed to hold from some time on backwards.
type doubt struct {
	since    uint32 // the newest block that was found gone was touched then, ms
	from, to int64  // the first and the last response that found one gone, ns; 0: none has
}

const (
	doubtSpan  = 10e9  // nanoseconds
	doubtTrust = 600e9 // after so long without another, a doubt is forgotten
)

// raise takes a response that found blocks gone which were touched at since, and says whether everything as old is.
func (d *doubt) raise(since uint32, now int64) bool {
	if d.from == 0 || now-d.to > doubtTrust || now < d.to {
		*d = doubt{since: since, from: now}
	}
	d.to = now
	if int32(since-d.since) > 0 {
		d.since = since
	}
	return now-d.from >= doubtSpan
}

// refute takes a response that found all that was believed, which was touched at that time.
func (d *doubt) refute(touched uint32) {
	if d.from != 0 && int32(touched-d.since) <= 0 {
		*d = doubt{}
	}
}

// SetCache sets how many tokens fit into an endpoint's cache; less than 1: not known.
func (p *Pool) SetCache(i int, tokens float64) {
	if p.Index == nil || p.ends[i].cache.said == tokens {
		return
	}
	p.ends[i].cache.said = tokens
	p.sizes.changed = true
	p.speeds.Size(i, tokens)
	if p.ends[i].cache.tier.there {
		p.compareMemories()
	}
	p.touch(i)
	p.fitCache(i)
}

// fitCache computes the size of an endpoint's cache in bytes again.
func (p *Pool) fitCache(i int) {
	c := &p.ends[i].cache
	fits, most := p.fits(c, min(c.said*p.cacheBytes, unsized))
	c.most = int64(min(most, unsized))
	p.Index.SetCapacity(i, int64(min(fits, unsized)))
}

// fitCaches computes the sizes again if the learned bytes of a token have changed by a tenth.
func (p *Pool) fitCaches() {
	bytes := p.tokens.Overall()
	if p.Index == nil || bytes > p.cacheBytes*0.9 && bytes < p.cacheBytes*1.1 {
		return
	}
	p.cacheBytes = bytes
	for i := range p.ends {
		if c := &p.ends[i].cache; c.said >= 1 && !c.tellsByResponses() {
			p.fitCache(i)
		}
	}
}

// EmptyCache drops what the endpoint's cache was believed to hold: the endpoint has restarted or left.
func (p *Pool) EmptyCache(i int, now int64) {
	p.stored.table.Drop(i)
	p.ends[i].cache.emptied, p.ends[i].cache.tier.last = now, part{}
	if p.Index != nil {
		p.Index.Drop(i)
	}
}

// emptiedSince says whether EmptyCache was called after a time; not, if the clock was set back since.
func (p *Pool) emptiedSince(i int, at, now int64) bool {
	emptied := p.ends[i].cache.emptied
	return at < emptied && emptied <= now
}

// TokensOf is the tokens of so many bytes of a body of which nothing else is known.
func (p *Pool) TokensOf(bytes int) float64 { return float64(bytes) / p.tokens.Overall() }

// seenWhole says whether the cache of endpoint i holds little that nobody here has sent: the server had computed hardly anything before, or as
// much has been looked up since as its memory and its tier hold, or far more than before. Where no metrics tell, it is taken to.
func (p *Pool) seenWhole(i int) bool {
	c := &p.ends[i].cache
	return c.earlier <= c.said/freshPart || p.ends[i].metrics.computed-c.earlier >= max(c.said, min(p.keeps(c), pastPart*c.earlier))
}

// before is how many of the prompt tokens that endpoint i has looked up were not sent from here: all but twice what the index has of them, since a
// prompt may be looked up twice, and the bytes of a token are not known yet.
func (p *Pool) before(i int, tokens float64) float64 {
	if p.Index == nil {
		return tokens
	}
	return max(tokens-2*p.TokensOf(int(p.Index.Held(i))), 0)
}

const (
	// freshPart is the part of its memory that a server may have looked up before, and still count as new: its own warm-up.
	freshPart = 16

	// pastPart is how many times as much as before must have been looked up since, so that what its tier may have of that is little.
	pastPart = 4
)

// TrueHit says whether a response's usage shows the true hit; told says that it has a number of cached tokens. vLLM leaves
// the number out if nothing was cached, so from an endpoint that has sent one before, its absence means 0.
func (p *Pool) TrueHit(i, prompt int, told bool) (known bool) {
	c := &p.ends[i].cache
	c.reportsHits = c.reportsHits || told
	return told || prompt > 0 && c.reportsHits
}

const (
	// A belief is corrected only if it had time to come true: blocks touched less than ripe milliseconds before the request
	// was sent may not have been computed yet.
	ripe = 2000

	maxGrain      = 1 << 13 // tokens in a block of a cache: hybrid models of 2026 have 528 to 7,808
	tokenError    = 32      // the estimate of cached tokens may be wrong by one part in so many
	leastSlack    = 512     // bytes: two of the index's first blocks
	foreignBlocks = 2       // blocks beyond what is known from which another gateway is assumed to have sent them

	// emptied distinguishes a cache that was emptied, by a restart or an operator, from one that is smaller than was
	// believed, which evicts the oldest blocks first. If less than one part in emptied is left, it was emptied.
	emptied = 2
)

// correct compares what was believed of the endpoint's cache with the true hit.
func (p *Pool) correct(f *Flight, now int64, o Outcome) {
	if p.Index == nil || p.ExternalIndex || f.Total == 0 || f.atypical {
		return
	}
	e, d := f.endpoint, &p.ends[f.endpoint].cache.doubt
	share := min(float64(o.CachedTokens)/float64(o.PromptTokens), 1)
	held, slack := int(share*float64(f.bytes)), p.slack(f, o.CachedTokens)
	if f.media && o.CachedTokens > 0 { // its tokens are somewhere in it
		return
	}
	known, behind := f.known, 0
	if known < f.Total {
		if again := p.Index.SeenAgain(f.Chain.Hash); again > known { // what was sent after it may have been computed before it
			known, behind = again, again
		}
	}
	p.unshared.Note(f.exact && known+foreignBlocks <= f.Total && held > f.Chain.Covered(known+foreignBlocks)+slack)
	p.foundAgain(e, min(held, f.Chain.Covered(f.before))-f.Chain.Covered(f.Matched)-slack)
	if f.exact && f.Guess == e && behind < f.Total { // else all of it was sent from here
		if f.New {
			from := f.Chain.Covered(max(f.Matched, f.Begins, behind))
			p.unshared.NoteNew(f.bytes-from, held-from)
		} else {
			from := f.Chain.Covered(max(f.Matched, behind))
			if f.hadLastTurn(f.Matched) { // its answer is hidden by nobody
				from = max(from, int(f.Cached(f.Matched)*f.perToken))
			}
			p.unshared.NoteHidden(f.unsent, f.bytes-from, held-from)
		}
	}
	believed := f.believed()
	if !f.exact || int32(millis(f.begun)-f.touched) < ripe {
		believed = 0
	}
	if held+slack >= believed {
		if believed > slack {
			d.refute(f.touched)
			p.widen(e)
		}
		return
	}
	if f.fetched { // what lies at the same place may be other media by now: that says nothing of the cache
		return
	}
	before, since, most := p.Index.Held(e), f.touched, int64(believed-held)
	all := d.raise(since, now)
	if all {
		since, most = d.since, before
	}
	p.Index.Expire(e, since, most)
	p.Index.Insert(e, &f.Chain, millis(now))
	// If so little is left that the cache was emptied, the belief starts again and the size stays: if the cache really were
	// this small, later responses would show it.
	if held := p.Index.Held(e); all && (held >= before/emptied || p.evicts(&p.ends[e].cache, held)) {
		p.Index.SetCapacity(e, held)
	}
}

// widen lets the size of a cache grow by a hundredth.
func (p *Pool) widen(i int) {
	most := p.ends[i].cache.most
	have, known := p.Index.Capacity(i)
	if !known || most >= 1 && have >= most {
		return
	}
	have += have/100 + prefix.DefaultBlockBytes
	if most >= 1 {
		have = min(have, most)
	}
	p.Index.SetCapacity(i, have)
}

// slack is how many bytes of prompt a cache may hold less than was believed without the belief being wrong: the last token
// of a prompt is always computed, and with it one of the cache's own blocks; another block is lost because the blocks of
// the cache and of the index do not end together; and the bytes of a token differ from prompt to prompt.
func (p *Pool) slack(f *Flight, cached int) int {
	grain := &p.ends[f.endpoint].cache.grain
	for a := cached; a > 0; { // greatest common divisor (Euclid)
		if *grain == 0 {
			*grain = a
			break
		}
		a, *grain = *grain%a, a
	}
	blocks := 2.0
	if f.grain > 0 { // one is not believed: see believed
		blocks = 1
	}
	return int(blocks*float64(min(*grain, maxGrain))*f.perToken) + f.Chain.Covered(f.Matched)/tokenError + leastSlack
}
