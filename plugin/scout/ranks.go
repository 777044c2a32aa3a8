package scout

import (
	"strconv"

	"warmroute/plugin/clusters"
	"warmroute/plugin/config"
)

// Data-parallel ranks of a server are endpoints of their own (config.RankAddress), but have one page of metrics, one list of models and one
// entry in the proxy's list of hosts.

// asksAt says whether endpoint i is one to ask: it is there, and the first of its server's ranks.
func (s *Scout) asksAt(i int) bool {
	return s.pool.Present(i) && (s.cfg.DataParallelRanks < 2 || s.pool.Endpoints[i].IsFirstRank())
}

// eachRank calls of with each endpoint that is a rank of the same server as endpoint i, and its rank, 0 for the only one.
func (s *Scout) eachRank(i int, of func(endpoint, rank int)) {
	if s.cfg.DataParallelRanks < 2 {
		of(i, 0)
		return
	}
	server := s.pool.Endpoints[i].Server()
	for j := range s.pool.Endpoints {
		if !s.pool.Present(j) {
			continue
		}
		at, digits := config.SplitRank(s.pool.Endpoints[j].Address)
		if rank, err := strconv.Atoi(digits); at == server && err == nil && rank < s.cfg.DataParallelRanks {
			of(j, rank)
		}
	}
}

// spreadRanks makes a host of each rank of each, as many as a pool may have.
func (s *Scout) spreadRanks(hosts []clusters.Host) []clusters.Host {
	if s.cfg.DataParallelRanks < 2 {
		return hosts
	}
	s.ranks = s.ranks[:0]
	for _, h := range hosts {
		server := h.Address
		for rank := range s.cfg.DataParallelRanks {
			h.Address = config.RankAddress(server, strconv.Itoa(rank))
			s.ranks = append(s.ranks, h)
		}
	}
	return s.ranks
}
