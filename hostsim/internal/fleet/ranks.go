package fleet

import (
	"net/http"
	"strconv"

	"warmroute/plugin/config"
)

// A server with data-parallel ranks has an engine for each, with a KV cache of its own, behind one port. As vLLM 0.32 it lets a request name
// its rank in the header x-data-parallel-rank, and chooses one by load otherwise (DPLBAsyncMPClient.get_core_engine_for_request).

// usage is the share of an engine's blocks that are in use.
func (s *Stats) usage() float64 { return float64(s.UsedBlocks) / float64(s.Blocks) }

// PickRank is the rank that a server of n chooses by itself: with the fewest requests, where those that wait count up to four times in a full
// cache; of equal ones the first from start on.
func PickRank(n, start int, of func(rank int) Stats) int {
	best, least := 0, 0.0
	for k := range n {
		i := (start + k) % n
		s := of(i)
		score := float64(s.Running+s.Waiting) + float64(s.Waiting)*6*max(s.usage()-0.5, 0)
		if k == 0 || score < least {
			best, least = i, score
		}
	}
	return best
}

// driverOf is that of the rank which a request is for.
func (s *Server) driverOf(r *http.Request) (*driver, *apiError) {
	if rank, err := strconv.Atoi(r.Header.Get(config.RankHeader)); err == nil { // what is no number is ignored
		if rank < 0 || rank >= len(s.drivers) {
			return nil, badRequest("", "data_parallel_rank %d is out of range [0, %d).", rank, len(s.drivers))
		}
		return s.drivers[rank], nil
	}
	if len(s.drivers) == 1 {
		return s.drivers[0], nil
	}
	start := int(s.turns.Add(1)) // of equal ones each in turn
	return s.drivers[PickRank(len(s.drivers), start, func(i int) Stats { return s.drivers[i].stats() })], nil
}

// RankStats returns the gauges and counters of one of the replica's ranks now.
func (s *Server) RankStats(rank int) Stats { return s.drivers[rank].stats() }
