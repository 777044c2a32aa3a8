package exposition

import "math"

// Fields is a set of the fields that a Load has.
type Fields uint16

// The fields.
const (
	HasRunning Fields = 1 << iota
	HasWaiting
	HasCacheQueries
	HasKVTokens
	HasKVUsage
	HasAdapters

	// NoRank says that the server's page names other data-parallel ranks, and not this one: no Reader sets it.
	NoRank

	// RanksInResponses says that the server obeys a request's data-parallel rank in the Responses API, too.
	RanksInResponses

	HasCacheHits

	// HasTier says that the server keeps KV beyond the memory of its engines: what that evicts may still be found.
	HasTier
)

// Load is what one /metrics page says of an endpoint. A field is valid only if Has names it; all are finite and not
// negative.
type Load struct {
	Has Fields

	Running      float64 // requests being computed
	Waiting      float64 // requests queued, or swapped out
	CacheQueries float64 // prompt tokens looked up in the prefix cache, a counter since the server's start: a fall is a restart
	CacheHits    float64 // of CacheQueries those that were found, in any tier: a counter likewise
	KVTokens     float64 // tokens that the KV caches of all engines hold
	TierTokens   float64 // with HasTier: tokens that the tier has room for, all of it in the host's memory; 0: not said
	HitTokens    float64 // what is found of a prompt is a multiple of so many tokens; 0: not said
	KVUsage      float64 // share of them that running requests use, 0 to 1, the mean over engines

	AdapterSlots int                 // LoRA adapters that are loaded at a time, 1 to MaxAdapters
	Adapters     [MaxAdapters]uint32 // those used last, by their key (Adapter), the last one first; 0: no more

	Truncated bool // the page ended early
}

// IsSound says whether the fields are what a page may say: what another module has put in a page's place may be no number, which would spoil
// every sum that it is added to, for good.
func (l *Load) IsSound() bool {
	for _, v := range [...]float64{l.Running, l.Waiting, l.KVTokens, l.KVUsage, l.CacheQueries, l.CacheHits, l.TierTokens, l.HitTokens} {
		if !(v >= 0 && v <= math.MaxFloat64) {
			return false
		}
	}
	return true
}
