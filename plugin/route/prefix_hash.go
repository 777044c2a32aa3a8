package route

import "warmroute/plugin/config"

// prefixHash sends equal prompt beginnings to the same endpoint: consistent hashing with bounded loads over the first
// characters of the prompt.
type prefixHash struct {
	pool  *pool
	chars int
	bound config.Bound
}

func (p *prefixHash) pick(req *Request, n int, d *Decision) {
	p.pool.relieve(p.bound)
	p.pool.onRing(beginningKey(d.seed, req, p.chars), n, d)
	d.term("home_in_flight", p.pool.requests[d.Home])
	d.term("bound", p.pool.most(d.Home, p.bound))
}
