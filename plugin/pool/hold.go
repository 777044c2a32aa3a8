package pool

import "warmroute/plugin/bytestr"

// Hold is the requests that wait at a gateway for room at a group of endpoints.
type Hold struct {
	Group    uint32 // GroupName
	Requests int
	Least    float64 // prompt tokens to compute of the one that has the fewest
}

// Much is how many times as many tokens a request that waits must need to go after another that came later, or that waits elsewhere.
const Much = 1.4

// Before says whether one of them goes before a request that needs so many tokens.
func (h *Hold) Before(tokens float64) bool { return h.Requests > 0 && h.Least*Much < tokens }

// With is what waits for one group at two places together; one of them may have no requests, and says nothing then.
func (h Hold) With(more Hold) Hold {
	switch {
	case more.Requests < 1:
		return h
	case h.Requests < 1:
		return more
	}
	h.Requests, h.Least = h.Requests+more.Requests, min(h.Least, more.Least)
	return h
}

// MostHolds is for how many groups a worker or gateway says what waits there: where more models wait, those of the others go without
// regard to each other.
const MostHolds = 4

// holds is what waits at this worker, at the proxy's others, and at other gateways.
type holds struct{ own, workers, gateways []Hold }

// GroupName is a name of the endpoints that are known to serve a model, the same in all gateways; 0 where all serve it, as far as is known.
func (p *Pool) GroupName(model []byte) (name uint32) {
	if p.Group(model) == 0 {
		return 0
	}
	servers := p.ServersOf(model)
	for i := range p.Endpoints {
		if p.Present(i) && servers.lists(i) {
			name += uint32(bytestr.Hash(0, []byte(p.Endpoints[i].Address))) // gateways may have them in another order
		}
	}
	return max(name, 1)
}

// AddHold adds what waits somewhere to a list by group, if it has room.
func AddHold(list []Hold, more Hold) []Hold {
	if more.Requests < 1 {
		return list
	}
	for i := range list {
		if list[i].Group == more.Group {
			list[i] = list[i].With(more)
			return list
		}
	}
	if len(list) == MostHolds {
		return list
	}
	return append(list, more)
}

// OwnHolds is what waits at this worker.
func (p *Pool) OwnHolds() []Hold { return p.holds.own }

// SetHolds sets OwnHolds. The list is kept.
func (p *Pool) SetHolds(own []Hold) { p.holds.own = own }

// SetWorkersHolds sets what waits at the proxy's other workers. The list is copied.
func (p *Pool) SetWorkersHolds(all []Hold) { p.holds.workers = append(p.holds.workers[:0], all...) }

// SetGatewaysHolds sets what waits at other gateways, likewise.
func (p *Pool) SetGatewaysHolds(all []Hold) { p.holds.gateways = append(p.holds.gateways[:0], all...) }

// ProxyHolds is what waits at all workers of this proxy, by group, in the memory of list.
func (p *Pool) ProxyHolds(list []Hold) []Hold {
	list = list[:0]
	for _, of := range [...][]Hold{p.holds.own, p.holds.workers} {
		for _, h := range of {
			list = AddHold(list, h)
		}
	}
	return list
}

// OthersHold is what waits for a group elsewhere than at this worker; without requests where nothing does.
func (p *Pool) OthersHold(group uint32) Hold {
	all := Hold{Group: group}
	for _, of := range [...][]Hold{p.holds.workers, p.holds.gateways} {
		for _, h := range of {
			if h.Group == group {
				all = all.With(h)
			}
		}
	}
	return all
}
