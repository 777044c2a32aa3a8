package prefix

// Index is which endpoint is believed to hold which blocks. It has two open-addressing tables in flat arrays: blocks
// (hash → a bit for each holder) and pairs (hash and endpoint → a place in that endpoint's list by last use), with
// linear probing and deletion by shifting back (Knuth, The Art of Computer Programming, volume 3, section 6.4,
// algorithm R), so that what was evicted leaves nothing behind.
//
// As in vLLM, a use of a chain touches all its blocks, the head last: in an endpoint's list a block is never older than its
// children, and eviction from the old end takes tails before heads. So the holders of block n+1 are among those of block n,
// and Match need not look at every block.
//
// Times are milliseconds and may wrap round. An Index is not safe for concurrent use.
type Index struct {
	endpoints int
	budget    int // bytes
	words     int // of 64 holders for each block
	most      int // slots that the budget allows
	limit     int // pairs that the budget allows

	slots int
	pairs int // in use

	pair    []pair   // by slot; after the slots comes a sentinel for each endpoint's list
	block   []uint64 // hash, by slot; 0: free
	holders []uint64 // words for each slot

	held     []int64 // bytes of prompt held, by endpoint
	capacity []int64 // bytes of prompt that fit, by endpoint; unbounded: not known
}

// unbounded is the capacity of an endpoint whose cache size is not known: the byte budget alone is the bound.
const unbounded = 1 << 62

// pair is one block at one endpoint; what is needed at one time is in one place of memory.
type pair struct {
	hash         uint64 // of the block; 0: free
	older, newer uint32 // neighbours in the endpoint's list
	stamp        uint32 // last touch
	endpoint     uint16
	size         uint16 // bytes of prompt in the block
}

// MinIndexBytes is the least budget of an index: room for a thousand pairs at 64 endpoints.
const MinIndexBytes = 1 << 16

// MaxEndpoints is the most endpoints of an index.
const MaxEndpoints = 1024

const (
	slotBytes  = 24 + 8 // of one slot in both tables, beside the holders
	firstSlots = 1 << 10
	growth     = 4
)

// NewIndex returns an empty index of endpoints 0 to n−1, n ≤ MaxEndpoints, whose tables never take more than budget bytes
// (MinIndexBytes at least). They grow as they fill; during growth the old tables, a quarter as large, exist as well.
// At three quarters full a pair of block and endpoint takes at most 54 bytes, and 11 more for each 64 endpoints
// after the first.
func NewIndex(n, budget int) *Index {
	x := &Index{endpoints: n, budget: max(budget, MinIndexBytes), words: max((n+63)/64, 1)}
	x.most = x.slotsIn(n)
	x.limit = x.most / 4 * 3
	x.held, x.capacity = make([]int64, n), make([]int64, n)
	for e := range x.capacity {
		x.capacity[e] = unbounded
	}
	x.allocate(min(firstSlots, x.most))
	return x
}

// slotsIn is how many slots the budget leaves for n endpoints.
func (x *Index) slotsIn(n int) int { return (x.budget - n*24) / (slotBytes + 8*x.words) }

// IndexBytes is the budget with which an index of n endpoints holds that many pairs without evicting any for the budget.
func IndexBytes(n, pairs int) int {
	return max(((pairs+2)/3+2)*4*(slotBytes+8*max((n+63)/64, 1))+n*24, MinIndexBytes)
}

// Endpoints is the number of endpoints.
func (x *Index) Endpoints() int { return x.endpoints }

// Held is the bytes of prompt that an endpoint is believed to hold.
func (x *Index) Held(endpoint int) int64 { return x.held[endpoint] }

// Pairs is the number of (block, endpoint) pairs in the index.
func (x *Index) Pairs() int { return x.pairs }

// Limit is the most pairs that the byte budget allows.
func (x *Index) Limit() int { return x.limit }

// Bytes is what the tables take now.
func (x *Index) Bytes() int { return x.slots*(slotBytes+8*x.words) + x.endpoints*24 }

// SetCapacity sets how many bytes of prompt fit into an endpoint's cache, and evicts what is above. Less than 1: not known;
// the byte budget alone is the bound.
func (x *Index) SetCapacity(endpoint int, bytes int64) {
	if bytes < 1 || bytes > unbounded {
		bytes = unbounded
	}
	x.capacity[endpoint] = bytes
	for x.held[endpoint] > bytes {
		x.evict(endpoint)
	}
}

// Capacity is the bytes of prompt that are believed to fit into an endpoint's cache; known is false if only the byte budget
// bounds them.
func (x *Index) Capacity(endpoint int) (bytes int64, known bool) {
	return x.capacity[endpoint], x.capacity[endpoint] < unbounded
}

// Insert records that the endpoint now holds the chain: all its blocks become the newest, its tail the oldest of them. Of a
// chain longer than the endpoint's cache the beginning is kept. If the byte budget is used up, the endpoint that holds most
// loses its oldest blocks.
func (x *Index) Insert(endpoint int, chain *Chain, now uint32) {
	n := min(chain.Len(), x.limit)
	if int64(chain.Covered(n)) > x.capacity[endpoint] {
		n = min(n, chain.Blocks(int(x.capacity[endpoint])))
	}
	largest := -1
	for i := n - 1; i >= 0; i-- {
		at, found := x.findPair(chain.Hash[i], endpoint)
		if found {
			x.unlink(at)
			x.link(at, now)
			continue
		}
		size := chain.size(i)
		for x.held[endpoint]+int64(size) > x.capacity[endpoint] {
			x.evict(endpoint)
			at = -1 // others may have moved into it
		}
		switch {
		case x.pairs >= x.limit:
			if largest < 0 || x.held[largest] == 0 {
				largest = x.largest()
			}
			x.evict(largest)
			at = -1
		case x.pairs >= x.slots/4*3:
			x.grow()
			at = -1
		}
		x.put(at, chain.Hash[i], endpoint, size, now)
	}
}

// Drop forgets all that an endpoint held: it has left, or has restarted with an empty cache.
func (x *Index) Drop(endpoint int) {
	for x.held[endpoint] > 0 {
		x.evict(endpoint)
	}
}

// Expire forgets the blocks that the endpoint last touched at the time since, or before: the oldest first, about most bytes
// of prompt. If a block of that time was evicted, everything older was, too: the cache is LRU.
func (x *Index) Expire(endpoint int, since uint32, most int64) {
	least := x.held[endpoint] - min(most, x.held[endpoint])
	for x.held[endpoint] > least && int32(x.pair[x.oldest(endpoint)].stamp-since) <= 0 {
		x.evict(endpoint)
	}
}

// Withdraw records that the endpoint never computed these blocks, the end of a chain that was sent there at the time at.
// Blocks that were sent there again since are kept, and all before them.
func (x *Index) Withdraw(endpoint int, blocks []uint64, at uint32) {
	for i := len(blocks) - 1; i >= 0; i-- {
		slot, found := x.findPair(blocks[i], endpoint)
		switch {
		case !found:
		case int32(x.pair[slot].stamp-at) > 0:
			return
		default:
			x.remove(slot)
		}
	}
}

// Touched is when the endpoint last touched the block, in ms; false if it is not believed to hold it.
func (x *Index) Touched(endpoint int, block uint64) (at uint32, ok bool) {
	slot, ok := x.findPair(block, endpoint)
	if !ok {
		return 0, false
	}
	return x.pair[slot].stamp, true
}

// largest is the endpoint that holds most.
func (x *Index) largest() int {
	largest := 0
	for e, held := range x.held {
		if held > x.held[largest] {
			largest = e
		}
	}
	return largest
}

// grow makes the tables larger within the budget and inserts all pairs again, from the oldest to the newest.
func (x *Index) grow() {
	old := *x
	clear(x.held)
	x.allocate(min(x.slots*growth, x.most))
	x.refile(&old)
}

// refile puts all pairs of old into x, which is empty.
func (x *Index) refile(old *Index) {
	for e := range old.endpoints {
		sentinel := uint32(old.slots + e)
		for at := old.pair[sentinel].newer; at != sentinel; at = old.pair[at].newer {
			if x.pairs >= x.limit {
				x.evict(x.largest())
			}
			x.put(-1, old.pair[at].hash, e, int(old.pair[at].size), old.pair[at].stamp)
		}
	}
}

func (x *Index) allocate(slots int) {
	x.slots, x.pairs = slots, 0
	x.pair = make([]pair, slots+x.endpoints)
	x.block, x.holders = make([]uint64, slots), make([]uint64, slots*x.words)
	for e := range x.endpoints {
		s := slots + e
		x.pair[s].older, x.pair[s].newer = uint32(s), uint32(s)
	}
}
