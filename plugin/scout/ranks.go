package scout

import (
	"strconv"

	"warmroute/plugin/clusters"
	"warmroute/plugin/config"
	"warmroute/plugin/exposition"
)

// Data-parallel ranks of a server are endpoints of their own (config.RankAddress), but have one page of metrics, one list of models and one
// entry in the proxy's list of hosts.

// asksAt says whether endpoint i is one to ask: it is there, can be reached, and is the first of its server's ranks.
func (s *Scout) asksAt(i int) bool {
	e := &s.pool.Endpoints[i]
	return s.pool.Present(i) && e.IsFirstRank() && s.reaches(e.Listener)
}

// eachRank is pool.Pool.EachRank, with the rank as a number, 0 for the only one.
func (s *Scout) eachRank(i int, of func(endpoint, rank int)) {
	s.pool.EachRank(i, func(endpoint int, digits string) {
		rank, _ := strconv.Atoi(digits)
		of(endpoint, rank)
	})
}

// takeRanks takes the page that was read of an endpoint's server, for each of its ranks. Those that it leaves out, though it names all that there
// are, are no ranks of the server.
func (s *Scout) takeRanks(endpoint int, now int64) (fault Fault) {
	page, known := &s.loadReader, false
	server, rank := config.SplitRank(s.pool.Endpoints[endpoint].Address)
	if s.learns && !s.learnRanks(server, now) {
		fault = metricsRoom
	}
	if rank == "" {
		load := page.Together()
		if load.Has == 0 {
			return metricsUnknown
		}
		s.takePage(endpoint, now, load)
		return fault
	}
	s.eachRank(endpoint, func(_, rank int) { known = known || page.Rank(rank).Has != 0 })
	if !known {
		return metricsUnknown
	}
	all := (s.learns || page.NamesAllRanks()) && !page.IsTruncated()
	s.eachRank(endpoint, func(i, rank int) {
		switch load := page.Rank(rank); {
		case load.Has != 0:
			s.takePage(i, now, load)
		case all:
			s.takePage(i, now, &exposition.Load{Has: exposition.NoRank})
			fault = metricsRanks
		}
	})
	return fault
}

// spreadRanks makes a host of each rank of each, as many as a pool may have.
func (s *Scout) spreadRanks(hosts []clusters.Host) []clusters.Host {
	if s.cfg.DataParallelRanks < 2 && len(s.learned) == 0 {
		return hosts
	}
	s.ranks = s.ranks[:0]
	for i, h := range hosts {
		server, n := h.Address, s.ranksOf(h.Address)
		if n == 1 || s.learns && len(s.ranks)+n+len(hosts)-i-1 > config.MaxEndpoints { // else those behind have no room
			s.ranks = append(s.ranks, h)
			continue
		}
		for rank := range n {
			h.Address = config.RankAddress(server, strconv.Itoa(rank))
			s.ranks = append(s.ranks, h)
		}
	}
	return s.ranks
}
