package route

// prefixKey puts the system prompt and the tools on the ring: all that share them meet. It knows no bound: it is the
// plain rule that others are measured against.
type prefixKey struct {
	pool   *pool
	byLoad *byLoad
}

func (p *prefixKey) pick(req *Request, n int, d *Decision) {
	key, why := systemKey(d.seed, req)
	if why != "" {
		d.Why = why
		p.byLoad.pick(req, n, d)
		return
	}
	p.pool.onRing(key, n, d)
}
