package route

import (
	"warmroute/plugin/config"
	"warmroute/plugin/decision"
)

// sessionAffinity puts the session on the ring. It has no bound of load: it is the plain rule to compare others with.
type sessionAffinity struct {
	view   *view
	byLoad *byLoad
}

func newSessionAffinity(_ *config.Config, r *Router, _ source) policy {
	return &sessionAffinity{view: &r.view, byLoad: &r.byLoad}
}

func (p *sessionAffinity) pick(req *decision.Request, n int, d *decision.Decision) {
	key, code := sessionKey(d.Seed, req)
	if code != "" {
		d.Why = code
		p.byLoad.pick(req, n, d)
		return
	}
	p.view.onRing(key, n, d)
}

// settled implements settler.
func (*sessionAffinity) settled(req *decision.Request) bool {
	return len(req.Session) > 0 // else the body may still name one
}
