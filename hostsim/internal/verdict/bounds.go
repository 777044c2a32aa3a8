package verdict

import (
	"warmroute/hostsim/internal/bound"
	"warmroute/hostsim/internal/replay"
)

// Bounds is what caching could save of a trace's prompt tokens, as shares.
type Bounds struct {
	Infinite float64 `json:"infinite_cache"` // one cache that never forgets: nothing does better
	Pooled   float64 `json:"pooled_bound"`   // Belady's rule on the fleet's whole memory: no fleet of that size does better
	Recent   float64 `json:"pooled_lru"`     // the same memory as one, evicting the least recently used, as vLLM does
}

// NewBounds computes the bounds for a replay's trace and its replicas' memory, that of their hosts included. A trace with bodies is read as
// the replicas would.
func NewBounds(o *replay.Options) (Bounds, error) {
	t, err := replay.AsBlocks(o.Trace, o.Profile.BlockSize)
	if err != nil {
		return Bounds{}, err
	}
	var b Bounds
	if b.Infinite, err = bound.Infinite(t); err != nil {
		return b, err
	}
	if b.Pooled, err = bound.Pooled(t, o.KVTokens()); err != nil {
		return b, err
	}
	b.Recent, err = bound.PooledLRU(t, o.KVTokens())
	return b, err
}
