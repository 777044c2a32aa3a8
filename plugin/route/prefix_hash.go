package route

import (
	"warmroute/plugin/config"
	"warmroute/plugin/decision"
)

// prefixHash sends equal prompt beginnings to the same endpoint: consistent hashing with bounded loads over the first
// characters of the prompt.
type prefixHash struct {
	view   *view
	config config.PrefixHash
}

func newPrefixHash(cfg *config.Config, r *Router, _ source) policy {
	return &prefixHash{view: &r.view, config: cfg.PrefixHash}
}

func (p *prefixHash) pick(req *decision.Request, n int, d *decision.Decision) {
	p.view.relieve(p.config.Bound)
	p.view.onRing(beginningKey(d.Seed, req, p.config.PrefixChars), n, d)
	d.Term("home_in_flight", p.view.all[d.Home].Requests)
	d.Term("bound", p.view.most(d.Home, p.config.Bound))
}

// settled implements settler.
func (p *prefixHash) settled(req *decision.Request) bool {
	return len(req.Prompt.Prefix(p.config.PrefixChars)) < len(req.Prompt.Text)
}
