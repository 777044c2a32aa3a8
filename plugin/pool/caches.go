package pool

import "warmroute/plugin/prefix"

// cache is how much an endpoint's cache holds. What a server says is the most: responses take room in it too, and other
// gateways' prompts. So it is found out like the window of a TCP connection: where a cache held less than was believed, it
// is taken to hold no more than what is newer than the block that had gone; each belief that comes true lets it grow by a
// hundredth of itself again, up to what the server says.
type cache struct {
	said        float64 // tokens, by its metrics; 0: nothing
	most        int64   // those tokens in bytes of prompt
	grain       int     // tokens of the cache's own blocks: what divides all true hits; 0: none was seen
	reportsHits bool    // its responses have named cached tokens
}

// SetCache says how many tokens fit into an endpoint's cache; less than 1: it is not known.
func (p *Pool) SetCache(i int, tokens float64) {
	if p.Index == nil || p.ends[i].cache.said == tokens {
		return
	}
	p.ends[i].cache.said = tokens
	p.fitCache(i)
}

// fitCache computes the bytes of an endpoint's cache anew.
func (p *Pool) fitCache(i int) {
	c := &p.ends[i].cache
	c.most = int64(min(c.said*p.cacheBytes, 1<<50))
	p.Index.SetCapacity(i, c.most)
}

// fitCaches follows what was learned of how long a token is.
func (p *Pool) fitCaches() {
	bytes := p.tokens.latest()
	if p.Index == nil || bytes > p.cacheBytes*0.9 && bytes < p.cacheBytes*1.1 {
		return
	}
	p.cacheBytes = bytes
	for i := range p.ends {
		if p.ends[i].cache.said >= 1 {
			p.fitCache(i)
		}
	}
}

// EmptyCache drops what the endpoint's cache was believed to hold: it has restarted or gone.
func (p *Pool) EmptyCache(i int) {
	if p.Index != nil {
		p.Index.Drop(i)
	}
}

// TrueHit is what a response's usage says of an endpoint's cache: told is whether it names cached tokens. vLLM leaves them
// out where nothing was cached, so from an endpoint that has named some before, their absence means none.
func (p *Pool) TrueHit(i, prompt int, told bool) (known bool) {
	c := &p.ends[i].cache
	c.reportsHits = c.reportsHits || told
	return told || prompt > 0 && c.reportsHits
}

const (
	// A belief is given up only where it had time to come true: blocks touched less than ripe milliseconds before the
	// request was sent may still have been on their way.
	ripe = 2000

	maxGrain      = 1 << 11 // tokens in a block of a cache: hybrid models of 2026 have 528 to 1,056
	tokenError    = 32      // what is believed ÷ what the estimate of its tokens may be wrong by
	leastSlack    = 512     // bytes: two of the index's first blocks
	foreignBlocks = 2       // more than are believed to be held, before another gateway is supposed to have sent them

	// emptied tells a cache that was emptied, by a restart or an operator, from one that holds less than was believed:
	// the latter lets go of the oldest first, and of the more the less is left. Where less than one block in emptied is
	// left, the cache has been emptied.
	emptied = 2
)

// correct compares what was believed of the endpoint's cache with the true hit.
func (p *Pool) correct(f *Flight, now int64, o Outcome) {
	if p.Index == nil || p.ExternalIndex || f.Total == 0 {
		return
	}
	share := min(float64(o.CachedTokens)/float64(o.PromptTokens), 1)
	held, slack := int(share*float64(f.bytes)), p.slack(f, o.CachedTokens)
	p.noteForeign(f.exact && held > f.Chain.Covered(min(f.Matched+foreignBlocks, f.Total))+slack)
	believed := f.Chain.Covered(f.Matched)
	if !f.exact || int32(millis(f.begun)-f.touched) < ripe {
		believed = 0
	}
	before, wrong := p.Index.Held(f.endpoint), held+slack < believed
	p.Index.Correct(f.endpoint, &f.Chain, wrong, f.touched, millis(now))
	switch {
	case wrong && p.Index.Held(f.endpoint) < before/emptied:
		// What is believed starts anew, and what fits stays: had it become this little, it would be found out again.
	case wrong:
		p.Index.SetCapacity(f.endpoint, p.Index.Held(f.endpoint))
	case believed > 0:
		p.widen(f.endpoint)
	}
}

// widen lets a cache hold a hundredth more than it was taken to hold.
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

// slack is how much less than was believed a cache may hold and the belief be true, in bytes of prompt: the last token of
// a prompt is always computed, and with it one of the cache's own blocks; another is lost where the blocks of the cache and
// those of the index do not end together; and how many bytes a token has differs from prompt to prompt.
func (p *Pool) slack(f *Flight, cached int) int {
	grain := &p.ends[f.endpoint].cache.grain
	for a := cached; a > 0; { // greatest common divisor (Euclid)
		if *grain == 0 {
			*grain = a
			break
		}
		a, *grain = *grain%a, a
	}
	return int(2*float64(min(*grain, maxGrain))*f.perToken) + f.Chain.Covered(f.Matched)/tokenError + leastSlack
}

// foreignWeight of one response: small, to tell a gateway that is alone (below 0.3 % of its responses show more in a cache
// than it has sent, where it takes the cache for smaller than it is) from one that has another beside it (1 to 5 %).
const foreignWeight = 0.003

// noteForeign takes a response: it showed more in the endpoint's cache than this gateway had sent there, or it did not.
func (p *Pool) noteForeign(more bool) {
	p.foreign -= p.foreign * foreignWeight
	if more {
		p.foreign += foreignWeight
	}
}

// Foreign is the share of responses, 0 to 1, that showed prompts of other gateways in an endpoint's cache, smoothed.
func (p *Pool) Foreign() float64 { return p.foreign }
