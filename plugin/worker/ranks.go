package worker

// hasRanks says whether endpoints of the pool are data-parallel ranks of servers.
func (p *Pool) hasRanks() bool { return p.known != nil && p.known.HasRanks() }

// HasRank says whether endpoint i is a data-parallel rank of its server.
func (p *Pool) HasRank(i int) bool {
	return p.hasRanks() && i >= 0 && i < len(p.known.Endpoints) && p.known.Endpoints[i].IsRank()
}
