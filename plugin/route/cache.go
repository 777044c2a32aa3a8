package route

import "warmroute/plugin/prefix"

// cache is how much the endpoints' caches hold, in bytes of prompt. What a server says of its cache is the most:
// answers take room in it too, and other gateways' prompts. So it is found out like the window of a TCP connection: where
// a cache held less than was believed, it is taken to hold no more than what is newer than the block that had gone; each
// belief that comes true lets it grow by a hundredth of itself again, up to what the server says.
type cache struct {
	said  []float64 // tokens, by endpoint; 0: nothing
	bytes float64   // per token, when most was last computed from it
	most  []int64   // bytes that were said
	grain []int     // tokens of the cache's own blocks: what divides all true hits; 0: none was seen
}

func (c *cache) grow(n int) {
	for len(c.said) < n {
		c.said, c.most, c.grain = append(c.said, 0), append(c.most, 0), append(c.grain, 0)
	}
}

// SetCache says how many tokens fit into an endpoint's cache; less than 1: it is not known.
func (r *Router) SetCache(endpoint int, tokens float64) {
	if r.Index == nil || r.cache.said[endpoint] == tokens {
		return
	}
	r.cache.said[endpoint] = tokens
	r.cache.fit(r, endpoint)
}

// fit computes the bytes of an endpoint's cache anew.
func (c *cache) fit(r *Router, endpoint int) {
	c.most[endpoint] = int64(min(c.said[endpoint]*c.bytes, 1<<50))
	r.Index.SetCapacity(endpoint, c.most[endpoint])
}

// tick follows what was learned of how long a token is.
func (c *cache) tick(r *Router) {
	bytes := r.tokens.latest()
	if r.Index == nil || bytes > c.bytes*0.9 && bytes < c.bytes*1.1 {
		return
	}
	c.bytes = bytes
	for endpoint, said := range c.said {
		if said >= 1 {
			c.fit(r, endpoint)
		}
	}
}

// Forget drops what the endpoint's cache was believed to hold: it has restarted or gone.
func (r *Router) Forget(endpoint int) {
	if r.Index != nil {
		r.Index.Drop(endpoint)
	}
}

// A belief is given up only where it had time to come true: blocks touched less than this before the request was sent
// may still have been on their way. Milliseconds.
const ripe = 2000

// slack is how much less than was believed a cache may hold and the belief be true, in bytes of prompt: the last token
// of a prompt is always computed, and with it one of the cache's own blocks; another is lost where the blocks of the cache
// and those of the index do not end together; and how many bytes a token has differs from prompt to prompt.
func (c *cache) slack(d *Decision, cached int) int {
	grain := &c.grain[d.endpoint]
	for a := cached; a > 0; { // greatest common divisor (Euclid)
		if *grain == 0 {
			*grain = a
			break
		}
		a, *grain = *grain%a, a
	}
	return int(2*float64(min(*grain, mostGrain))*d.perToken) + d.Chain.Covered(d.Matched)/sloppy + leastSlack
}

const (
	mostGrain  = 1 << 11 // tokens in a block of a cache: hybrid models of 2026 have 528 to 1,056
	sloppy     = 32      // of what is believed, what an estimate of tokens may be wrong
	leastSlack = 512     // bytes: two of the index's first blocks
)

// emptied tells a cache that was emptied, by a restart or an operator, from one that holds less than was believed: the
// latter lets go of the oldest first, and of the more the less is left. Where less than one part in emptied is left, the
// cache has been emptied.
const emptied = 2

// correct holds what was believed of the endpoint's cache against the true hit.
func (r *Router) correct(d *Decision, now int64, o Outcome) {
	if r.Index == nil || d.Total == 0 {
		return
	}
	share := min(float64(o.CachedTokens)/float64(o.PromptTokens), 1)
	held, slack := int(share*float64(d.bytes)), r.cache.slack(d, o.CachedTokens)
	r.met(d.exact && held > d.Chain.Covered(min(d.Matched+2, d.Total))+slack)
	believed := d.Chain.Covered(d.Matched)
	if !d.exact || int32(millis(d.begun)-d.touched) < ripe {
		believed = 0
	}
	before, wrong := r.Index.Held(d.endpoint), held+slack < believed
	r.Index.Correct(d.endpoint, &d.Chain, wrong, d.touched, millis(now))
	switch {
	case wrong && r.Index.Held(d.endpoint) < before/emptied:
		// What is believed starts anew, and what fits stays: had it become this little, it would be found out again.
	case wrong:
		r.Index.SetCapacity(d.endpoint, r.Index.Held(d.endpoint))
	case believed > 0:
		r.cache.widen(r, d.endpoint)
	}
}

func (c *cache) widen(r *Router, endpoint int) {
	most := c.most[endpoint]
	have, known := r.Index.Capacity(endpoint)
	if !known || most >= 1 && have >= most {
		return
	}
	have += have/100 + prefix.DefaultBlockBytes
	if most >= 1 {
		have = min(have, most)
	}
	r.Index.SetCapacity(endpoint, have)
}

func millis(ns int64) uint32 { return uint32(ns / 1e6) }
