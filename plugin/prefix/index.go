package prefix

import "math/bits"

// Index is which endpoint is believed to hold which blocks. Consecutive blocks with the same holders are one record, a run
// (run.go), so that a new prompt of 4 KB is two of them; a run at an endpoint is a pair, which has its place in that
// endpoint's list by last use (lists.go). Both are found by hash (table, chunks.go), a run's first pair by the run. Memory is taken in small pieces and
// nothing is moved when it grows, so that no call takes long; what one call may evict is bounded too (evict.go).
//
// As in vLLM, a use of a chain touches all its blocks, the head last: in an endpoint's list a block is never older than its
// children, and eviction from the old end takes tails before heads. What requests on
// their way use may be kept (use.go). So the holders of block n+1 are among those of block n, but where ends were missed.
//
// Times are milliseconds and may wrap round. An Index is not safe for concurrent use.
type Index struct {
	endpoints int
	words     int // of 64 holders for each run
	budget    int // bytes
	taken     int // bytes
	secret    uint64

	runs    chunks[run]
	pairs   chunks[pair]
	holders [][]uint64 // by piece of runs

	byHash        table // runs
	byRun         table // pairs
	byHashRecords int
	byRunRecords  int
	blocks        int // (block, endpoint) pairs

	lists    []list
	held     []int64 // bytes of prompt held, by endpoint
	capacity []int64 // bytes of prompt that fit, by endpoint; unbounded: not known
	heavy    heavy
	late     []uint16 // endpoints with more to evict than one call may
	walk     []uint32 // runs of the chain that Insert enters; of others, or its pairs
	levels   []Level  // of Match
	shared   int      // of Match: Shared
	parted   int      // likewise: Parted
	seen     []mark   // of blocks that were entered, by part of their hash: Seen
	reached  uint32   // of reach: the run that was found last; 0: none
	spare    int      // pairs that Insert still needs
	keeps    bool     // what is in use is evicted last: KeepUsed
	longest  uint32   // ms that a block is in use at most: SetLongestUse
	alive    []uint64 // of Match: the endpoints that hold all runs so far
	read     uint64   // what divideRuns read ahead; nothing depends on it
}

// list is what an endpoint holds, by last use.
type list struct {
	idle, used queue
	late       bool // it is among Index.late
	doomed     bool // what was touched at floor or before is to go
	floor      uint32
	latest     uint32 // of the stamps; reports of others come late, so it may not be the newest pair's
	begins     uint32 // of the hash with which the chain begins that was entered last: Insert need not look for another in renew
}

// unbounded is the capacity of an endpoint whose cache size is not known: the byte budget alone is the bound.
const unbounded = 1 << 62

// MinIndexBytes is the least budget of an index.
const MinIndexBytes = 1 << 16

// MaxEndpoints is the most endpoints of an index.
const MaxEndpoints = 1024

// NewIndex returns an empty index of endpoints 0 to n−1, n ≤ MaxEndpoints, whose memory never exceeds budget bytes
// (MinIndexBytes at least), nor what SetArena leaves it, but for what Grow adds. Runs take 104 bytes each, and 8 more for each 64 endpoints after the first, a run at an endpoint
// 28, the tables 4 for each of both, but for a run's first: a new prompt's block 17 bytes, where it stands alone 132. secret keys the tables (Secret, package share).
func NewIndex(n, budget int, secret uint64) *Index {
	x := &Index{budget: max(budget, MinIndexBytes), words: 1, secret: secret*2 + golden}
	x.pieces(min(max(x.budget/64, 1<<10), 64<<10))
	x.Grow(n)
	return x
}

// pieces sets the size of the pieces in which memory is taken.
func (x *Index) pieces(most int) {
	x.seen = make([]mark, 1<<bits.Len(uint(most/4)))
	x.taken = 4 * len(x.seen)
	x.runs.pieceSize(most)
	x.pairs.pieceSize(most)
	x.byHash.init(most)
	x.byRun.init(most)
}

// SmallPieces makes an empty index take its memory in pieces of 8 KB: one of many that may hold little.
func (x *Index) SmallPieces() { x.pieces(min(max(x.budget/64, 1<<10), 8<<10)) }

// golden is 2^64 ÷ the golden ratio, odd: without a secret it spreads keys (Knuth, The Art of Computer Programming, volume
// 3, section 6.4).
const golden = 0x9e3779b97f4a7c15

// IndexBytes is the budget with which an index of n endpoints holds that many blocks, each in a chain of its own, without
// evicting any for the budget.
func IndexBytes(n, blocks int) int {
	const run, pair, heads = 104, 28, 8
	all := (blocks + runBlocks) * (run + pair + heads + 8*wordsFor(n))
	return max(all+all/8+n*endpointBytes, MinIndexBytes) // the last piece of each kind is not full
}

// endpointBytes is what each endpoint takes.
const endpointBytes = 56

func wordsFor(n int) int { return max((n+63)/64, 1) }

// Endpoints is the number of endpoints.
func (x *Index) Endpoints() int { return x.endpoints }

// Held is the bytes of prompt that an endpoint is believed to hold.
func (x *Index) Held(endpoint int) int64 { return x.held[endpoint] }

// Pairs is the number of (block, endpoint) pairs in the index.
func (x *Index) Pairs() int { return x.blocks }

// Bytes is the memory taken now.
func (x *Index) Bytes() int { return x.taken + x.endpoints*endpointBytes }

// Capacity is the bytes of prompt that are believed to fit into an endpoint's cache; known is false if only the byte budget
// bounds them.
func (x *Index) Capacity(endpoint int) (bytes int64, known bool) {
	return x.capacity[endpoint], x.capacity[endpoint] < unbounded
}

// Insert records that the endpoint now holds the chain: all its blocks become the newest, its tail the oldest of them. Of a
// chain longer than the endpoint's cache the beginning is kept. If the byte budget is used up, the endpoint that holds most
// loses its oldest blocks.
func (x *Index) Insert(endpoint int, chain *Chain, now uint32) {
	x.enter(endpoint, chain, chain.Len(), now, 0)
}

// enter is Insert by so many more requests that use the chain, of one that has entered its first blocks before.
func (x *Index) enter(endpoint int, chain *Chain, first int, now uint32, users uint16) {
	x.catchUp()
	n := chain.Len()
	if int64(chain.Covered(n)) > x.capacity[endpoint] {
		n = chain.Blocks(int(x.capacity[endpoint]))
	}
	x.see(chain.Hash[:n], first, now)
	l := &x.lists[endpoint]
	if n == 0 || l.begins == uint32(chain.Hash[0]) && x.renew(endpoint, chain, n, now, users) {
		return
	}
	l.begins = uint32(chain.Hash[0])
	x.readHeads(chain.Hash[:n])
	n = x.reserve(endpoint, chain, n)
	if n == 0 {
		return
	}
	known := x.follow(endpoint, chain, n)
	old := len(x.walk)
	for from := known; from < n; from += runBlocks {
		if last := len(x.walk) - 1; last >= 0 {
			x.runs.at(x.walk[last]).goesOn(chain.Hash[from])
		}
		x.walk = append(x.walk, x.newRun(chain, from, min(runBlocks, n-from)))
	}
	x.spare = len(x.walk)
	work := burst
	for i := len(x.walk) - 1; i >= 0; i-- {
		id := uint32(0)
		if i < old {
			id = x.findPair(x.walk[i], endpoint)
		}
		if id == 0 {
			x.makeRoom(endpoint, x.runs.at(x.walk[i]).bytes(), &work)
			id = x.newPair(x.walk[i], endpoint)
			x.pairs.at(id).since = now
		}
		if p := x.pairs.at(id); p.older == id { // else a peer's chain repeats a block
			p.use(users, now)
			x.link(id, now)
		}
		x.spare--
	}
}

// renew is enter where the chain's first n blocks are whole runs and what the endpoint was given last, as they are when a
// response soon confirms them. Else it does nothing and says so.
func (x *Index) renew(endpoint int, chain *Chain, n int, now uint32, users uint16) bool {
	l := &x.lists[endpoint]
	x.walk = x.walk[:0]
	id := l.used.newest
	if users == 0 && (id == 0 || x.runs.at(x.pairs.at(id).run).hash[0] != chain.Hash[0]) {
		id = l.idle.newest
	}
	for at := 0; at < n; {
		if id == 0 {
			return false
		}
		p := x.pairs.at(id)
		r := x.runs.at(p.run)
		if r.hash[0] != chain.Hash[at] || r.common(chain.Hash[at:n]) < int(r.count) {
			return false
		}
		x.walk = append(x.walk, id)
		at, id = at+int(r.count), p.older
	}
	for _, renewed := range x.walk {
		p := x.pairs.at(renewed)
		p.stamp = now
		p.use(users, now)
	}
	if n > 0 && l.isLater(now) {
		l.latest = now
	}
	return true
}

// follow writes the runs of the chain's first n blocks that there are to walk, dividing the last where the chain leaves it,
// and takes those that the endpoint holds off its lists, so that nothing evicts them. It returns how many blocks they have.
func (x *Index) follow(endpoint int, chain *Chain, n int) (known int) {
	x.walk = x.walk[:0]
	for id := uint32(0); known < n; {
		if id = x.findNext(id, chain.Hash[known]); id == 0 {
			break
		}
		common := x.runs.at(id).common(chain.Hash[known:n])
		if common < int(x.runs.at(id).count) {
			x.split(id, common)
		}
		known += common
		x.walk = append(x.walk, id)
	}
	for _, id := range x.walk {
		if p := x.findPair(id, endpoint); p != 0 {
			x.unlink(p)
		}
	}
	return known
}
