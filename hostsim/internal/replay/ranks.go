package replay

import (
	"fmt"
	"strconv"

	"warmroute/hostsim/internal/router"
	"warmroute/hostsim/internal/vllm"
)

// Where Options.Ranks is set, replicas are the data-parallel ranks of servers: replica i is rank i modulo Ranks of server i ÷ Ranks. Gateways
// know servers by address. A request that names no rank gets one from its server, by load.

func (o *Options) checkRanks() error {
	switch {
	case o.Ranks < 2:
		return nil
	case o.Replicas%o.Ranks != 0:
		return fmt.Errorf("ranks: %d replicas are not a number of servers of %d ranks", o.Replicas, o.Ranks)
	case o.Zones != (Zones{}) || len(o.Models.Names) > 0:
		return fmt.Errorf("ranks go with no zones or models")
	}
	return nil
}

// perServer is how many replicas a server has.
func (o *Options) perServer() int { return max(o.Ranks, 1) }

// addressOf is the address of a replica's server.
func (r *run) addressOf(replica int) string { return r.names[replica/r.perServer()] }

// engines are those of the server of which replica is the first.
func (r *run) engines(replica int) []*vllm.Engine {
	return r.replicas[replica : replica+r.perServer()]
}

// toRank finds the rank that a request is for, of the server of which replica is the first.
func (r *run) toRank(t router.Ticket, replica int) (int, error) {
	if named, may := t.(router.Ranked); may && named.Rank() != "" {
		rank, err := strconv.Atoi(named.Rank())
		if err != nil || rank < 0 || rank >= r.perServer() {
			return 0, fmt.Errorf("rank %q is out of range [0, %d): the ranks of a server (hostsim replay --ranks) are not data_parallel_ranks", named.Rank(), r.perServer())
		}
		return replica + rank, nil
	}
	if r.Ranks < 2 {
		return replica, nil
	}
	r.turns++
	return replica + vllm.PickRank(r.Ranks, r.turns, func(rank int) vllm.Stats { return r.replicas[replica+rank].Stats() }), nil
}

// statsOf is what a server's ranks say together.
func (r *run) statsOf(server int) (all vllm.Stats) {
	for _, e := range r.engines(server * r.perServer()) {
		all = all.Plus(e.Stats())
	}
	return all
}
