package route

import "warmroute/plugin/prefix"

// prefixKey puts the system prompt and the tools on the ring: all that share them meet. It knows no bound: it is the
// plain rule that others are measured against.
type prefixKey struct {
	pool   *pool
	byLoad *byLoad
}

func (p *prefixKey) pick(req *Request, n int, d *Decision) {
	if req.Prompt.SystemLen == 0 {
		d.Why = "no_system"
		p.byLoad.pick(req, n, d)
		return
	}
	p.pool.onRing(prefix.Key(d.seed, req.Prompt.Text[:req.Prompt.SystemLen]), n, d)
}
