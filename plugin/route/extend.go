package route

import "warmroute/plugin/prompt"

// Settled says whether nothing that is still to come of req's prompt can change which endpoints hold how much of it: what
// has come is longer than what any of them holds, and the length of the rest is known. It is false for policies that do
// not go by the index.
func (r *Router) Settled(req *Request) bool {
	if r.Index == nil || !r.name.NeedsIndex() || req.Length == 0 {
		return false
	}
	p := req.Prompt
	p.Chain(&r.chain, seedOf(req))
	n := r.chain.Len()
	r.Index.Match(r.chain.Hash, r.depth)
	for _, depth := range r.depth {
		if int(depth) == n {
			return false
		}
	}
	return true
}

// Extend takes the whole prompt of a request that was decided and begun when only its beginning was known: the endpoint
// computes, and then holds, all of it. It reports whether there is more to tell the other workers.
func (r *Router) Extend(d *Decision, p *prompt.Prompt, now int64) bool {
	if d.phase == decided || d.phase == ended || p.Size() < d.bytes {
		return false
	}
	d.bytes, d.exact = p.Size(), !p.Truncated
	d.promptTokens = float64(d.bytes) / d.perToken
	longer := false
	if r.Index != nil {
		all, blocks := d.Matched == d.Total, d.Total
		p.Chain(&d.Chain, d.seed)
		d.Total = d.Chain.Len()
		longer = d.Total > blocks
		if all && longer {
			r.Index.Match(d.Chain.Hash, r.depth)
			if int(r.depth[d.endpoint]) > blocks {
				r.believe(d, d.endpoint)
			}
		}
		if longer {
			r.Index.Insert(d.endpoint, &d.Chain, millis(now))
		}
	}
	more := max(d.promptTokens-d.held(d.Matched), 1) - d.tokens
	d.tokens += more
	r.long.give(d.endpoint, more)
	r.Load.Resized(d.endpoint, now, more, d.phase == waiting && d.streams)
	return longer
}
