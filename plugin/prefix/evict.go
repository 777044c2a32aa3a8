package prefix

// What one call may evict is bounded, so that none takes long: where more is to go, as when an endpoint with a hundred
// thousand runs has restarted, the calls that follow go on with it.
const (
	burst    = 4096 // pairs that one call may evict
	arrears  = 256  // that each further Insert evicts of what is left
	heavyFor = 32   // evictions from the endpoint that holds most before it is looked for again
)

// heavy is the endpoint that holds most, and how often it may still be taken for it.
type heavy struct{ endpoint, left int }

// SetCapacity sets how many bytes of prompt fit into an endpoint's cache, and evicts what is above. Less than 1: not known;
// the byte budget alone is the bound.
func (x *Index) SetCapacity(endpoint int, bytes int64) {
	if bytes < 1 || bytes > unbounded {
		bytes = unbounded
	}
	x.capacity[endpoint] = bytes
	x.settle(endpoint)
}

// Drop forgets all that an endpoint held: it has left, or has restarted with an empty cache.
func (x *Index) Drop(endpoint int) {
	if l := &x.lists[endpoint]; !l.empty() {
		l.doomed, l.floor = true, l.latest
		x.settle(endpoint)
	}
}

// Expire forgets the idle blocks that the endpoint last touched at the time since, or before: the oldest first, about most bytes
// of prompt. If a block of that time was evicted, everything older was, too: the cache is LRU.
func (x *Index) Expire(endpoint int, since uint32, most int64) {
	least := x.held[endpoint] - min(most, x.held[endpoint])
	l := &x.lists[endpoint]
	if since-l.latest < mostLate { // no pair is newer
		since = l.latest
	}
	for work := burst; work > 0 && x.held[endpoint] > least; work-- {
		if l.idle.oldest == 0 || l.age(x.pairs.at(l.idle.oldest).stamp) < l.age(since) {
			return
		}
		x.evict(endpoint, x.held[endpoint]-least)
	}
}

// settle evicts what an endpoint is to lose, and notes it where that is more than one call may.
func (x *Index) settle(endpoint int) {
	if x.trim(endpoint, burst) && !x.lists[endpoint].late {
		x.lists[endpoint].late = true
		x.late = append(x.late, uint16(endpoint))
	}
}

// catchUp goes on with what earlier calls have left.
func (x *Index) catchUp() {
	if len(x.late) == 0 {
		return
	}
	endpoint := int(x.late[0])
	if !x.trim(endpoint, arrears) {
		x.lists[endpoint].late = false
		x.late = x.late[:copy(x.late, x.late[1:])]
	}
}

// trim evicts at most that many pairs of what an endpoint is to lose, and says whether there is more.
func (x *Index) trim(endpoint, most int) (more bool) {
	l := &x.lists[endpoint]
	for ; !l.empty(); most-- {
		old := x.old(l)
		above := x.held[endpoint] - x.capacity[endpoint]
		switch {
		case old == 0 && above <= 0:
			l.doomed = false
			return false
		case most == 0:
			return true
		case old != 0:
			x.dropPair(old)
		default:
			x.evict(endpoint, above)
		}
	}
	l.doomed = false
	return false
}

// old is a pair that is to go because its endpoint was dropped; 0: there is none.
func (x *Index) old(l *list) uint32 {
	for _, id := range [...]uint32{l.used.oldest, l.idle.oldest} { // requests that use it have none of it any more
		if l.doomed && id != 0 && l.age(x.pairs.at(id).stamp) >= l.age(l.floor) {
			return id
		}
	}
	return 0
}

// makeRoom evicts an endpoint's oldest blocks until that many bytes fit into its cache, work pairs at most.
func (x *Index) makeRoom(endpoint int, bytes int64, work *int) {
	for *work > 0 && !x.lists[endpoint].empty() {
		above := x.held[endpoint] + bytes - x.capacity[endpoint]
		if above <= 0 {
			return
		}
		x.evict(endpoint, above)
		*work--
	}
	if x.held[endpoint]+bytes > x.capacity[endpoint] && !x.lists[endpoint].late {
		x.lists[endpoint].late = true
		x.late = append(x.late, uint16(endpoint))
	}
}

// evict removes blocks from the end of the run that goes first, until that many bytes are free or the run is gone.
func (x *Index) evict(endpoint int, bytes int64) {
	id := x.victim(&x.lists[endpoint])
	run := x.pairs.at(id).run
	r := x.runs.at(run)
	keep := int(r.count)
	for ; keep > 0 && bytes > 0; keep-- {
		bytes -= int64(r.size[keep-1])
	}
	switch {
	case keep == 0:
		x.lose(id)
	case x.holding(run) == 1:
		r.forks, r.after = 0, tag(r.hash[keep]) // as split: what has gone on behind its end did so behind what goes
		for ; int(r.count) > keep; r.count-- {
			size := r.size[r.count-1]
			x.held[endpoint] -= int64(size)
			x.blocks--
		}
	case x.split(run, keep):
		x.lose(x.victim(&x.lists[endpoint]))
	default:
		x.lose(id)
	}
}

// lose is dropPair of what an endpoint evicts.
func (x *Index) lose(id uint32) {
	p := x.pairs.at(id)
	x.runs.at(p.run).gone |= 1 << (p.endpoint & 63)
	x.dropPair(id)
}

// Evicted says whether the endpoint has evicted the block behind the first n of a chain, which others have held ever since. Of more than 64 endpoints
// one that shares a bit may have.
func (x *Index) Evicted(endpoint int, chain []uint64, n int) bool {
	run := x.reach(chain, n+1)
	return run != 0 && x.runs.at(run).gone>>(endpoint&63)&1 != 0
}

// reserve makes room in the byte budget for what Insert enters: for n blocks of the chain, or as many as it returns.
func (x *Index) reserve(endpoint int, chain *Chain, n int) int {
	for work := burst; ; work-- {
		runs, pairs := x.needs(endpoint, chain, n)
		if x.fits(runs, pairs) {
			return n
		}
		switch {
		case work == 0 || n == 0:
			return 0
		case x.blocks == 0:
			n /= 2 // it is longer than the whole index
		}
		for range 8 { // and then look again: what was evicted may have been of this chain
			if x.evictHeavy(); x.blocks == 0 {
				break
			}
		}
	}
}

// needs is how many more runs and pairs the chain's first n blocks take at most.
func (x *Index) needs(endpoint int, chain *Chain, n int) (runs, pairs int) {
	at := 0
	for id := uint32(0); at < n; {
		if id = x.findNext(id, chain.Hash[at]); id == 0 {
			break
		}
		common := x.runs.at(id).common(chain.Hash[at:n])
		if common < int(x.runs.at(id).count) {
			runs, pairs = runs+1, pairs+x.holding(id)
		}
		if !x.holds(id, endpoint) {
			pairs++
		}
		at += common
	}
	more := (n - at + runBlocks - 1) / runBlocks
	return runs + more, pairs + more
}

// fits says whether so many more runs and pairs fit, and takes memory for them.
func (x *Index) fits(runs, pairs int) bool {
	for x.runs.room() < runs {
		if !x.take(x.runs.bytes() + 8*x.words<<x.runs.shift) {
			return false
		}
		x.runs.add()
		x.holders = append(x.holders, newPiece[uint64](x.words<<x.runs.shift))
	}
	for x.pairs.room() < pairs {
		if !x.take(x.pairs.bytes()) {
			return false
		}
		x.pairs.add()
	}
	if h := &x.byRun.heads; pairsOfHead*len(h.piece)<<h.shift < len(x.pairs.piece)<<x.pairs.shift && x.take(h.bytes()) {
		h.add()
	}
	return (x.headRoom(&x.byHash.heads) || x.byHash.buckets > 0) && (x.headRoom(&x.byRun.heads) || x.byRun.buckets > 0)
}

// pairsOfHead is how many pairs there may be for each head that their table has memory for. While runs have one holder each, it needs none;
// when all memory is taken, and others come that many hold, lists would be longer than what is looked at (longest).
const pairsOfHead = 8

// headRoom says whether a table can have one more bucket. Where it cannot, lists grow longer.
func (x *Index) headRoom(heads *chunks[uint32]) bool {
	if heads.room() > 0 {
		return true
	}
	if !x.take(heads.bytes()) {
		return false
	}
	heads.add()
	return true
}

// take takes bytes from the budget, if it has them.
func (x *Index) take(bytes int) bool {
	if x.taken+bytes+x.endpoints*endpointBytes > x.budget || !outside.allows(x.taken, bytes) {
		return false
	}
	x.taken += bytes
	return true
}

// evictHeavy removes the oldest run of the endpoint that holds most.
func (x *Index) evictHeavy() {
	h := &x.heavy
	if h.left == 0 || h.endpoint >= x.endpoints || x.lists[h.endpoint].empty() {
		h.endpoint, h.left = 0, heavyFor
		for e, held := range x.held {
			if held > x.held[h.endpoint] {
				h.endpoint = e
			}
		}
	}
	h.left--
	if id := x.victim(&x.lists[h.endpoint]); id != 0 {
		x.dropPair(id)
	}
}
