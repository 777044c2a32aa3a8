package exposition

// maxSeries bounds the series of SGLang that are compared with each other on one page.
const maxSeries = 64

// sheet is what a page has said so far of all engines together, or of one.
type sheet struct {
	load      Load
	sum       [sums]float64
	count     [sums]int // series in each sum
	series    [maxSeries]uint64
	seriesLen int
	adapters  adapters
	shared    float64 // tokens of all data-parallel ranks together, by their blocks
}

func (s *sheet) reset() {
	s.load = Load{}
	s.sum, s.count = [sums]float64{}, [sums]int{}
	s.seriesLen, s.adapters.n, s.shared = 0, 0, 0
}

// drop forgets a metric, of which not all has come.
func (s *sheet) drop(m *metric) {
	from, to := m.fills()
	for i := from; i < to; i++ {
		s.count[i] = 0
	}
}

// dropAdapters forgets the adapters.
func (s *sheet) dropAdapters() {
	s.load.Has &^= HasAdapters
	s.load.AdapterSlots, s.adapters.n = 0, 0
}

// lend lets an engine's sheet have the adapters that the page names without an engine, as vLLM does: they are those of all.
func (s *sheet) lend(all *sheet) {
	if s.load.Has&HasAdapters == 0 && all.load.Has&HasAdapters != 0 {
		s.load.AdapterSlots, s.adapters = all.load.AdapterSlots, all.adapters
		s.load.Has |= HasAdapters
	}
}

// join takes over what an engine's sheet has.
func (s *sheet) join(of *sheet) {
	for i := range s.sum {
		s.sum[i] += of.sum[i]
		s.count[i] += of.count[i]
	}
	s.shared += of.shared
	s.load.HitTokens = max(s.load.HitTokens, of.load.HitTokens)
	s.lend(of)
	of.reset()
}

func (s *sheet) add(to sum, v float64) {
	s.sum[to] += v
	s.count[to]++
}

// first says whether a series, given by its hash without the ranks, is new on this page. Beyond maxSeries all are.
func (s *sheet) first(hash uint64) bool {
	for _, h := range s.series[:s.seriesLen] {
		if h == hash {
			return false
		}
	}
	if s.seriesLen < maxSeries {
		s.series[s.seriesLen] = hash
		s.seriesLen++
	}
	return true
}

// lora takes the adapters that ran and waited at a time.
func (s *sheet) lora(found *labels, at float64) {
	if slots, ok := number(found.slots); ok && slots >= 1 {
		s.load.AdapterSlots = int(min(slots, MaxAdapters))
		s.load.Has |= HasAdapters
	}
	s.adapters.add(found.running, at)
	s.adapters.add(found.waiting, at)
}

// cache takes an engine's capacity from the labels of its cache configuration. Later versions of vLLM count the tokens
// themselves, which is right for models with several kinds of attention; blocks times tokens is not. The blocks in the labels are those of
// all data-parallel ranks together (vLLM 0.32 and 0.33, v1/engine/core_client.py), the tokens are not.
func (s *sheet) cache(found *labels) {
	if found.offloaded != nil { // vLLM 0.33 brought both: nothing on a page says the version itself
		s.load.Has |= RanksInResponses
	}
	block, hasBlock := number(found.blockTokens)
	n, hasBlocks := number(found.blocks)
	tokens, hasTokens := number(found.tokens)
	if !hasTokens && hasBlock && hasBlocks && block*n <= maxValue {
		s.shared += block * n
	}
	if hasBlock && s.count[sumBlockTokens] == 0 {
		s.add(sumBlockTokens, block)
	}
	if hasBlocks {
		s.add(sumBlocks, n)
	}
	if hasTokens {
		s.add(sumCapacityFormer, tokens)
	}
	if n, ok := number(found.aligned); ok { // else it is None
		s.load.HitTokens = max(s.load.HitTokens, n)
	}
	if n, ok := number(found.offloaded); ok && hasBlock && block*n <= maxValue { // else it is None
		s.add(sumTier, block*n)
	}
}

// offload takes the size of a tier. Only the host's memory has one; what stands behind that (a disk, a store) does not say it.
func (s *sheet) offload(found *labels) {
	if n, ok := number(found.tier); ok {
		s.add(sumTier, n)
		return
	}
	s.add(sumUnsized, 1)
}

// settle makes the load from the sums. ranks is how many data-parallel ranks the server has, of that kind.
func (s *sheet) settle(ranks int, of server) {
	l := &s.load
	if s.shared > 0 {
		s.add(sumCapacityFormer, s.shared/float64(ranks))
		s.shared = 0
	}
	for i := range s.adapters.n {
		l.Adapters[i] = s.adapters.list[i].key
	}
	s.take(HasRunning, sumRunning, &l.Running)
	s.take(HasWaiting, sumWaiting, &l.Waiting)
	if l.Has&HasWaiting != 0 && s.count[sumSwapped] > 0 {
		l.Waiting += s.sum[sumSwapped]
	}
	s.take(HasCacheQueries, s.prefer(sumQueries, sumQueriesFormer), &l.CacheQueries)
	s.take(HasCacheHits, s.prefer(sumHits, sumHitsFormer), &l.CacheHits)
	if of == vLLM && l.Has&HasCacheHits != 0 {
		l.CacheHits += s.sum[sumExternalHits] // SGLang's has them
	}
	s.take(HasKVTokens, s.prefer(sumCapacity, sumCapacityFormer), &l.KVTokens)
	s.mean(HasKVUsage, s.prefer(sumUsage, sumUsageFormer), &l.KVUsage)
	if n := s.sum[sumBlockTokens] * s.sum[sumBlocks]; l.Has&HasKVTokens == 0 && s.count[sumBlockTokens] > 0 && s.count[sumBlocks] > 0 && n > 0 && n <= maxValue {
		l.KVTokens = n
		l.Has |= HasKVTokens
	}
	if n := s.count[sumBlockTokens]; n > 0 {
		l.HitTokens = max(l.HitTokens, s.sum[sumBlockTokens]/float64(n))
	}
	if s.hasTier() {
		l.Has |= HasTier
		if s.count[sumTier] > 0 && s.count[sumUnsized] == 0 && !(s.sum[sumStored] > 0) { // else its store's size is not said
			l.TierTokens = s.sum[sumTier]
		}
	}
}

// emptyTier is how many times as many tokens as a server's own memory holds a connector is asked for in vain before it is none that keeps what
// that evicts: it may only hand KV from one server to another.
const emptyTier = 4

// hasTier says whether the server keeps KV elsewhere: it says how much, or has found some, or asks for it.
func (s *sheet) hasTier() bool {
	above := func(at sum, least float64) bool { return s.count[at] > 0 && s.sum[at] > least }
	own := s.load.KVTokens
	return above(sumTier, 0) || above(sumExternalHits, 0) || above(sumExternalQueries, 0) && (own == 0 || !above(sumExternalQueries, emptyTier*own))
}

// mean sets a share to the mean over its series.
func (s *sheet) mean(field Fields, from sum, to *float64) {
	if n := s.count[from]; n > 0 {
		*to = min(s.sum[from]/float64(n), 1)
		s.load.Has |= field
	}
}

// take sets a field to a sum, if the page has it.
func (s *sheet) take(field Fields, from sum, to *float64) {
	if s.count[from] > 0 {
		*to = s.sum[from]
		s.load.Has |= field
	}
}

// prefer is the sum of a metric's present name, or of its former name if the page has only that.
func (s *sheet) prefer(present, former sum) sum {
	if s.count[present] > 0 {
		return present
	}
	return former
}
