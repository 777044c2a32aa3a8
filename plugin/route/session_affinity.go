package route

// sessionAffinity puts the session on the ring. It knows no bound: it is the plain rule that others are measured
// against.
type sessionAffinity struct {
	pool   *pool
	byLoad *byLoad
}

func (p *sessionAffinity) pick(req *Request, n int, d *Decision) {
	key, why := sessionKey(d.seed, req)
	if why != "" {
		d.Why = why
		p.byLoad.pick(req, n, d)
		return
	}
	p.pool.onRing(key, n, d)
}
