package fleet

import (
	"net/http"
	"strconv"

	"warmroute/hostsim/internal/render"
	"warmroute/hostsim/internal/vllm"
	"warmroute/plugin/config"
)

// A server with data-parallel ranks has an engine for each, with a KV cache of its own, behind one port. As vLLM 0.32 it lets a request name
// its rank in the header x-data-parallel-rank, and chooses one by load otherwise (DPLBAsyncMPClient.get_core_engine_for_request).

// driverOf is that of the rank which a request is for.
func (s *Server) driverOf(r *http.Request) (*driver, *render.Error) {
	if rank, err := strconv.Atoi(r.Header.Get(config.RankHeader)); err == nil { // what is no number is ignored
		if rank < 0 || rank >= len(s.drivers) {
			return nil, render.BadRequest("", "data_parallel_rank %d is out of range [0, %d).", rank, len(s.drivers))
		}
		return s.drivers[rank], nil
	}
	if len(s.drivers) == 1 {
		return s.drivers[0], nil
	}
	start := int(s.turns.Add(1)) // of equal ones each in turn
	return s.drivers[vllm.PickRank(len(s.drivers), start, func(i int) vllm.Stats { return s.drivers[i].stats() })], nil
}

// RankStats returns the gauges and counters of one of the replica's ranks now.
func (s *Server) RankStats(rank int) vllm.Stats { return s.drivers[rank].stats() }
