package scout

import (
	"strconv"

	"warmroute/plugin/clusters"
	"warmroute/plugin/config"
	"warmroute/plugin/pool"
)

// Unless the configuration says how many data-parallel ranks servers have, vLLM's pages do (config.Pool.LearnsRanks): once a server's page names
// several engines, its ranks take its place in the roster. They stay until the server leaves: one that starts anew may name some of them late.

// ranksOf is how many data-parallel ranks a server has, as far as it is known; at least 1.
func (s *Scout) ranksOf(server string) int {
	return max(s.cfg.DataParallelRanks, s.learned[server], 1)
}

// learnRanks takes note of how many ranks a server's page names. false: the pool has no room for them.
func (s *Scout) learnRanks(server string, now int64) bool {
	n := s.loadReader.Named()
	if n <= s.ranksOf(server) || !s.leads || s.loadReader.IsTruncated() {
		return true
	}
	if max(s.roster.taken(now), s.pool.Size())+s.grown+n > config.MaxEndpoints {
		return false
	}
	if s.joining || s.grown > 0 && s.grown+n > pool.JoinAtOnce {
		return true // with a later page: the server is not to be without endpoints until its ranks have joined
	}
	if s.learned == nil {
		s.learned = map[string]int{}
	}
	s.learned[server] = n
	s.grown += n
	return true
}

// growRanks makes endpoints of the ranks that were learned since the last tick.
func (s *Scout) growRanks(now int64) {
	if s.grown == 0 || s.clustersPath != "" && len(s.hosts) == 0 { // of a new leader: they come with the hosts
		return
	}
	s.grown = 0
	if s.clustersPath != "" {
		s.takeHosts(s.hosts, s.cfg.Steer.Target == config.TargetCluster, now)
	} else {
		s.takeHosts(s.listed(), true, now)
	}
	if s.gossip != nil { // what gateways have told of ranks that were not there yet
		s.gossip.Renew(now)
	}
}

// listed is the configured endpoints as hosts. The roster begins with them, so that those which stay keep their indices.
func (s *Scout) listed() []clusters.Host {
	hosts := make([]clusters.Host, 0, len(s.cfg.Endpoints))
	for i := range s.cfg.Endpoints {
		e := &s.cfg.Endpoints[i]
		hosts = append(hosts, clusters.Host{Address: e.Address, Cluster: e.Cluster, Zone: e.Zone, Weight: e.Weight, Healthy: true})
		if !s.roster.known {
			s.roster.rows = append(s.roster.rows, row{endpoint: *e, present: true, healthy: true})
		}
	}
	return hosts
}

// recallRanks makes what was learned that of the roster: that which another worker has learned counts, and that of servers which have left does not.
func (s *Scout) recallRanks() {
	if !s.learns {
		return
	}
	clear(s.learned)
	for i := range s.roster.rows {
		row := &s.roster.rows[i]
		server, digits := config.SplitRank(row.endpoint.Address)
		if digits == "" || !row.present {
			continue
		}
		if s.learned == nil {
			s.learned = map[string]int{}
		}
		rank, _ := strconv.Atoi(digits)
		s.learned[server] = max(s.learned[server], rank+1)
	}
}
