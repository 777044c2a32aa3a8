package pool

import (
	"warmroute/plugin/bytestr"
	"warmroute/plugin/models"
)

// Which models each endpoint serves, as its own list of them says (GET /v1/models), and which LoRA adapters it holds. An endpoint that does
// not serve a request's model would answer 404, so it is chosen only where no endpoint serves it, as far as is known.

// SetModels sets what endpoint i serves; nil: it is not known. The list is kept.
func (p *Pool) SetModels(i int, list []models.Model) {
	if p.served.Set(i, list) {
		p.adapters.NoteAll(list)
	}
}

// ServersOf is the endpoints of the pool that serve a model of that name: all, if none lists it.
func (p *Pool) ServersOf(model []byte) models.Servers { return p.served.By(model) }

// Group tells endpoints that serve one model from those that serve others: 0 where all endpoints serve it.
func (p *Pool) Group(model []byte) uint64 {
	servers := p.ServersOf(model)
	if servers.All() {
		return 0
	}
	for i := range p.ends {
		if p.Present(i) && !servers.Has(i) {
			return servers.Group()
		}
	}
	return 0
}

// GroupName is a name of the endpoints that are known to serve a model, the same in all gateways; 0 where all serve it, as far as is known.
func (p *Pool) GroupName(model []byte) (name uint32) {
	if p.Group(model) == 0 {
		return 0
	}
	servers := p.ServersOf(model)
	for i := range p.Endpoints {
		if p.Present(i) && servers.Lists(i) {
			name += uint32(bytestr.Hash(0, []byte(p.Endpoints[i].Address))) // gateways may have them in another order
		}
	}
	return max(name, 1)
}

// Lists says whether any endpoint's list of models is known.
func (p *Pool) Lists() bool { return p.served.Any() }

// ModelsDiffer says whether endpoints are known to list different models: then a request's model says where it may go.
//
//go:noinline
func (p *Pool) ModelsDiffer() bool {
	first := -1
	for i := range p.ends {
		switch {
		case !p.Present(i) || !p.served.Known(i):
		case first < 0:
			first = i
		case !p.served.Alike(first, i):
			return true
		}
	}
	return false
}

// Unlisted says whether the lists of all endpoints are known, and none has the model.
func (p *Pool) Unlisted(model []byte) bool {
	if !p.served.Lacks(model) {
		return false
	}
	for i := range p.ends {
		if p.Present(i) && !p.served.Known(i) {
			return false
		}
	}
	return true
}

// renewAdapters makes room among the known adapters, where there is none.
func (p *Pool) renewAdapters(now int64) {
	if !p.adapters.Renew(now) {
		return
	}
	for i := range p.ends {
		p.ends[i].slots.NoteAdapters(&p.adapters)
	}
	p.served.NoteAdapters(&p.adapters)
}

// NeedsAdapter says whether LoadTokens may be above 0.
func (f *Flight) NeedsAdapter() bool { return f.adapter != 0 }

// LoadTokens is what it takes to load the request's adapter at endpoint i, in prompt tokens that could be computed meanwhile;
// 0 if it is loaded, or the request has none.
func (p *Pool) LoadTokens(f *Flight, i int, now int64) float64 {
	return float64(p.adapterLoad) / 1e9 * p.ends[i].slots.Loads(f.adapter, now) / p.PerToken(i)
}

// NewAdapter says whether the request needs an adapter that no endpoint is believed to hold, and which; not where no endpoint says
// what it holds.
func (p *Pool) NewAdapter(f *Flight) (key uint32, is bool) {
	if f.adapter == 0 {
		return 0, false
	}
	for i := range p.ends {
		if s := &p.ends[i].slots; p.Serving(i) {
			if s.Holds(f.adapter) {
				return 0, false
			}
			is = is || s.Most > 0
		}
	}
	return f.adapter, is
}
