package pool

import "warmroute/plugin/config"

// HasRanks says whether endpoints are, or were, data-parallel ranks of servers.
func (p *Pool) HasRanks() bool { return p.ranked }

// RanksInResponses says whether all servers obey a request's rank in the Responses API, too, by their pages of metrics.
func (p *Pool) RanksInResponses() bool {
	for i := range p.Endpoints {
		if p.Endpoints[i].IsRank() && p.Present(i) && !p.Health.Missing(i) && !p.ends[i].responses {
			return false
		}
	}
	return true
}

// EachRank calls of with each endpoint of endpoint i's server: its data-parallel ranks that are present, in digits, or endpoint i alone, "".
func (p *Pool) EachRank(i int, of func(endpoint int, rank string)) {
	if !p.ranked {
		of(i, "")
		return
	}
	server := p.Endpoints[i].Server()
	for j := range p.Endpoints {
		if at, rank := config.SplitRank(p.Endpoints[j].Address); at == server && p.Present(j) {
			of(j, rank)
		}
	}
}
