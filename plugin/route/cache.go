package route

// cache is how much the endpoints' caches hold, in blocks of the index. What a server says of its cache is the most:
// answers take room in it too, and other gateways' prompts. So it is found out like the window of a TCP connection: where
// a cache held less than was believed, it is taken to hold no more than what is newer than the block that had gone; each
// belief that comes true lets it grow by a hundredth of itself again, up to what the server says.
type cache struct {
	said   []float64 // tokens, by endpoint; 0: nothing
	bytes  float64   // per token, when the blocks were last computed from it
	blocks []int     // that were said
}

func (c *cache) grow(n int) {
	for len(c.said) < n {
		c.said, c.blocks = append(c.said, 0), append(c.blocks, 0)
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

// fit computes the blocks of an endpoint's cache anew.
func (c *cache) fit(r *Router, endpoint int) {
	c.blocks[endpoint] = int(min(c.said[endpoint]*c.bytes/float64(r.blockBytes), 1<<30))
	r.Index.SetCapacity(endpoint, c.blocks[endpoint])
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

// slack is the blocks within which a belief and the truth agree: the last block of a prompt is always computed, and
// blocks of the cache are not blocks of the index.
const slack = 2

// emptied tells a cache that was emptied, by a restart or an operator, from one that holds less than was believed: the
// latter lets go of the oldest first, and of the more the less is left. Where less than one block in emptied is left, the
// cache has been emptied.
const emptied = 2

// correct holds what was believed of the endpoint's cache against the true hit.
func (r *Router) correct(d *Decision, now int64, o Outcome) {
	if r.Index == nil || d.Total == 0 {
		return
	}
	share := min(float64(o.CachedTokens)/float64(o.PromptTokens), 1)
	held := int(share * float64(d.bytes) / float64(r.blockBytes))
	r.met(d.exact && held > d.Matched+slack)
	held += slack
	believed := d.Matched
	if !d.exact || int32(millis(d.begun)-d.touched) < ripe {
		believed = 0
	}
	before := r.Index.Held(d.endpoint)
	switch wrong := r.Index.Correct(d.endpoint, d.Chain, believed, held, d.touched, millis(now)); {
	case wrong && r.Index.Held(d.endpoint) < before/emptied:
		// What is believed starts anew, and what fits stays: had it become this little, it would be found out again.
	case wrong:
		r.Index.SetCapacity(d.endpoint, r.Index.Held(d.endpoint))
	case believed > 0:
		r.cache.widen(r, d.endpoint)
	}
}

func (c *cache) widen(r *Router, endpoint int) {
	most := c.blocks[endpoint]
	if have := r.Index.Capacity(endpoint); most < 1 || have < most {
		more := have + have/100 + 1
		if most >= 1 {
			more = min(more, most)
		}
		r.Index.SetCapacity(endpoint, more)
	}
}

func millis(ns int64) uint32 { return uint32(ns / 1e6) }
