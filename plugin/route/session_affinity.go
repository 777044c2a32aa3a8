package route

import "warmroute/plugin/prefix"

// sessionAffinity puts the session on the ring: a header's value, else what the prompt names as its session, else its
// first user turn. It knows no bound: it is the plain rule that others are measured against.
type sessionAffinity struct {
	pool   *pool
	byLoad *byLoad
}

func (p *sessionAffinity) pick(req *Request, n int, d *Decision) {
	session := req.Session
	if len(session) == 0 {
		session = req.Prompt.Session
	}
	if len(session) == 0 {
		d.Why = "no_session"
		p.byLoad.pick(req, n, d)
		return
	}
	p.pool.onRing(prefix.Key(d.seed, session), n, d)
}
