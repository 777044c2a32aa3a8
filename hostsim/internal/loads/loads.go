// Package loads has the requests that studies replay, as traces of block ids drawn by a seed: sessions of our own, KubeAI's benchmarks,
// and published traces as they might have come. What a load asks of those who judge it stands beside it: the second of two passes, the
// phases of an overload. It knows traces, profiles and results of replays, and no policy.
package loads

import (
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
)

// Drawing is what a load is drawn from.
type Drawing struct {
	Folder   string // of the published traces
	Seed     uint64 // 1 is the trace as recorded, where there is one
	Replicas int
	Profile  vllm.Profile // of the replicas, whose blocks and speed a load may go by
}

// Load draws requests. Errors: a published trace that cannot be read.
type Load func(d *Drawing) (*trace.Trace, error)
