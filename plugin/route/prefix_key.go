package route

import (
	"warmroute/plugin/config"
	"warmroute/plugin/decision"
)

// prefixKey puts the system prompt and the tools on the ring: requests that share them go to one endpoint. It has no bound
// of load: it is the plain rule to compare others with.
type prefixKey struct {
	view   *view
	byLoad *byLoad
}

func newPrefixKey(_ *config.Config, r *Router, _ source) policy {
	return &prefixKey{view: &r.view, byLoad: &r.byLoad}
}

func (p *prefixKey) pick(req *decision.Request, n int, d *decision.Decision) {
	key, code := systemKey(d.Seed, req)
	if code != "" {
		d.Why = code
		p.byLoad.pick(req, n, d)
		return
	}
	p.view.onRing(key, n, d)
}

// settled implements settler: the system prompt may go on.
func (*prefixKey) settled(*decision.Request) bool { return false }
