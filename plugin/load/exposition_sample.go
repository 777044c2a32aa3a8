package load

// Kind is the server whose page it was.
type Kind uint8

const (
	Unknown Kind = iota
	VLLM
	SGLang
	TGI
)

// String is the server's usual name, in small letters.
func (k Kind) String() string {
	switch k {
	case VLLM:
		return "vllm"
	case SGLang:
		return "sglang"
	case TGI:
		return "tgi"
	}
	return "unknown"
}

// Fields is a set of what a Sample holds.
type Fields uint16

const (
	HasRunning Fields = 1 << iota
	HasWaiting
	HasKVUsage
	HasCacheTokens // CacheQueries and CacheHits
	HasHitRate
	HasBlockTokens
	HasBlocks
	HasKVTokens
	HasTTFT    // TTFTSum and TTFTCount
	HasPrefill // PrefillSum and PrefillCount
	HasLoRA    // MaxLoRA, RunningLoRA and WaitingLoRA
	HasAwake
)

// Sample is what one /metrics page says of an endpoint. A field counts only where Has names it; all are finite and not
// negative. Counters run since the server's start: take differences, and a fall for a restart.
type Sample struct {
	Has  Fields
	Kind Kind

	Running float64 // requests being computed
	Waiting float64 // requests queued, or swapped out
	KVUsage float64 // share of the cache in use, 0…1, the mean over engines

	CacheQueries float64 // prompt tokens looked up in the prefix cache; a counter
	CacheHits    float64 // of those, tokens found; a counter
	HitRate      float64 // 0…1: CacheHits ÷ CacheQueries, or the server's own figure where it counts neither

	BlockTokens float64 // tokens a block
	Blocks      float64 // blocks of all engines
	KVTokens    float64 // tokens that the caches of all engines hold

	TTFTSum      float64 // seconds to first tokens, added up; a counter
	TTFTCount    float64 // first tokens; a counter
	PrefillSum   float64 // prompt tokens computed, those from a cache not counted; a counter
	PrefillCount float64 // requests prefilled; a counter

	MaxLoRA     int    // adapters that fit at once
	RunningLoRA []byte // names with commas between; see HasName. Valid until the reader's next Reset
	WaitingLoRA []byte

	Awake bool // an engine is not put to sleep

	Engines int  // series of Running that were added up
	Bad     int  // lines that were no metrics, too long, or whose value no load can have (NaN, Inf, negative)
	Cut     bool // the page ended early
}

// Adapters are only told apart as far as these bounds go.
const (
	maxAdapters     = 1 << 20
	maxAdapterBytes = 2 << 10
)

// settle makes the sample from the sums.
func (r *Scrape) settle() {
	s := &r.sample
	s.Engines = r.count[tallyRunning]
	r.take(HasRunning, tallyRunning, &s.Running)
	r.take(HasWaiting, tallyWaiting, &s.Waiting)
	if s.Has&HasWaiting != 0 && r.count[tallySwapped] > 0 {
		s.Waiting += r.sum[tallySwapped]
	}
	r.mean(HasKVUsage, r.prefer(tallyUsage, tallyUsageFormer), &s.KVUsage)
	r.mean(HasHitRate, r.prefer(tallyHitRate, tallyHitRateFormer), &s.HitRate)
	queries, hits := r.prefer(tallyQueries, tallyQueriesFormer), r.prefer(tallyHits, tallyHitsFormer)
	r.pair(HasCacheTokens, queries, hits, &s.CacheQueries, &s.CacheHits)
	if s.Has&HasCacheTokens != 0 && s.CacheQueries > 0 {
		s.HitRate = min(s.CacheHits/s.CacheQueries, 1)
		s.Has |= HasHitRate
	}
	r.take(HasBlockTokens, tallyBlockTokens, &s.BlockTokens)
	r.take(HasBlocks, tallyBlocks, &s.Blocks)
	r.take(HasKVTokens, r.prefer(tallyCapacity, tallyCapacityFormer), &s.KVTokens)
	if n := s.BlockTokens * s.Blocks; s.Has&HasKVTokens == 0 && n > 0 && n <= maxValue {
		s.KVTokens = n
		s.Has |= HasKVTokens
	}
	r.pair(HasTTFT, tallyTTFTSum, tallyTTFTCount, &s.TTFTSum, &s.TTFTCount)
	r.pair(HasPrefill, tallyPrefillSum, tallyPrefillCount, &s.PrefillSum, &s.PrefillCount)
	if r.count[tallyLoRA] > 0 {
		s.Has |= HasLoRA
	} else {
		s.MaxLoRA, s.RunningLoRA, s.WaitingLoRA = 0, s.RunningLoRA[:0], s.WaitingLoRA[:0]
	}
	if r.count[tallyAwake] > 0 {
		s.Has |= HasAwake
		s.Awake = r.sum[tallyAwake] > 0
	}
}

// take sets a field to a sum, if there is one.
func (r *Scrape) take(field Fields, from tally, to *float64) {
	if r.count[from] > 0 {
		*to = r.sum[from]
		r.sample.Has |= field
	}
}

// mean sets a share to the mean over its series.
func (r *Scrape) mean(field Fields, from tally, to *float64) {
	if n := r.count[from]; n > 0 {
		*to = min(r.sum[from]/float64(n), 1)
		r.sample.Has |= field
	}
}

// pair sets two values that say something only together.
func (r *Scrape) pair(field Fields, from, from2 tally, to, to2 *float64) {
	if r.count[from] > 0 && r.count[from2] > 0 {
		r.take(field, from, to)
		r.take(field, from2, to2)
	}
}

func (r *Scrape) prefer(present, former tally) tally {
	if r.count[present] > 0 {
		return present
	}
	return former
}

// HasName says whether name is among list's, which commas part.
func HasName(list []byte, name string) bool {
	for from := 0; from <= len(list); {
		to := from
		for to < len(list) && list[to] != ',' {
			to++
		}
		for from < to && isBlank(list[from]) {
			from++
		}
		if name != "" && same(list[from:to], name) {
			return true
		}
		from = to + 1
	}
	return false
}

// appendNames undoes a label's escapes. Of a longer list than maxAdapterBytes, the last names are left out.
func appendNames(dst, value []byte) []byte {
	for i := 0; i < len(value); i++ {
		if len(dst) == maxAdapterBytes {
			for len(dst) > 0 && dst[len(dst)-1] != ',' {
				dst = dst[:len(dst)-1]
			}
			return dst
		}
		c := value[i]
		if c == '\\' && i+1 < len(value) {
			if i++; value[i] == 'n' {
				c = '\n'
			} else {
				c = value[i]
			}
		}
		dst = append(dst, c)
	}
	return dst
}
