package verdict

import (
	"warmroute/hostsim/internal/bound"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
)

// Bounds is what caching could save of a trace's prompt tokens, as shares.
type Bounds struct {
	Infinite float64 `json:"infinite_cache"` // one cache that never forgets: nothing does better
	Pooled   float64 `json:"pooled_bound"`   // Belady's rule on the fleet's whole memory: no fleet of that size does better
	Recent   float64 `json:"pooled_lru"`     // the same memory as one, evicting the least recently used, as vLLM does
}

// NewBounds computes the bounds for a fleet of replicas with so much memory each. A trace with bodies is read as the
// replicas would.
func NewBounds(t *trace.Trace, replicas int, p vllm.Profile) (Bounds, error) {
	t, err := replay.AsBlocks(t, p.BlockSize)
	if err != nil {
		return Bounds{}, err
	}
	var b Bounds
	if b.Infinite, err = bound.Infinite(t); err != nil {
		return b, err
	}
	if b.Pooled, err = bound.Pooled(t, replicas*p.KVTokens()); err != nil {
		return b, err
	}
	b.Recent, err = bound.PooledLRU(t, replicas*p.KVTokens())
	return b, err
}
