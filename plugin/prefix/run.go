package prefix

import "math/bits"

// runBlocks is the most blocks of a run: 2 KB of a prompt's beginning, 128 KB of its depth.
const runBlocks = 8

// run is consecutive blocks that the same endpoints hold, found by the hash of the first.
type run struct {
	hash  [runBlocks]uint64
	size  [runBlocks]uint16 // bytes of prompt in each block
	gone  uint64            // endpoints that have evicted it while others held it, a bit for each of 64
	next  uint32            // in the bucket, or the next free one
	first uint32            // a pair that is found here and not by hash, so that most runs, which one endpoint holds, need no place there; 0: none
	count uint8             // of blocks; 0: the record is free
	forks uint8             // chains that went on from here otherwise than the last one before them
	after uint16            // tag of the block that followed last; 0: none did
	child uint32            // a run that followed this one, to look at first; 0: none
}

// bytes is how much of a prompt the run has, in all blocks.
func (r *run) bytes() (n int64) {
	for _, size := range r.size[:r.count] {
		n += int64(size)
	}
	return n
}

// common is how many leading blocks of the run are those of the chain; the first is known to be.
func (r *run) common(chain []uint64) int {
	n := min(int(r.count), len(chain))
	for i := 1; i < n; i++ {
		if r.hash[i] != chain[i] {
			return i
		}
	}
	return n
}

// spread is 32 well mixed bits of a key, by two multiplications, one of them by a secret odd number (multiply-shift
// hashing: Dietzfelbinger et al., "A Reliable Randomized Algorithm for the Closest-Pair Problem", 1997).
func (x *Index) spread(key uint64) uint32 {
	key *= x.secret
	key ^= key >> 32
	return uint32(key * golden >> 32)
}

// findRun is the run that begins with a block; 0: none.
func (x *Index) findRun(hash uint64) uint32 {
	id := x.byHash.first(x.spread(hash))
	for i := 0; id != 0 && i < longest; i++ {
		r := x.runs.at(id)
		if r.hash[0] == hash {
			return id
		}
		id = r.next
	}
	return 0
}

// findNext is the run that begins with a block and follows another, 0 where it is the chain's first; 0: none.
func (x *Index) findNext(before uint32, hash uint64) uint32 {
	if before == 0 {
		return x.findRun(hash)
	}
	b := x.runs.at(before)
	if b.child != 0 {
		if c := x.runs.at(b.child); c.hash[0] == hash && c.count > 0 {
			return b.child
		}
	}
	id := x.findRun(hash)
	if id != 0 {
		b.child = id
	}
	return id
}

// readHeads reads the lists' heads that a new chain needs: the processor waits for all at once, and not for one after the other.
func (x *Index) readHeads(hashes []uint64) {
	t, sum := &x.byHash, uint32(0)
	if t.buckets == 0 {
		return
	}
	for at := 0; at < min(len(hashes), 4*runBlocks); at += runBlocks {
		sum += *t.head(x.spread(hashes[at]))
	}
	x.read = uint64(sum)
}

// newRun files a run of the chain's first blocks, which nobody holds yet. There must be room.
func (x *Index) newRun(c *Chain, from, n int) uint32 {
	id := x.takeRun()
	r := x.runs.at(id)
	r.gone, r.child, r.first, r.forks, r.after, r.count = 0, 0, 0, 0, 0, uint8(n)
	for i := range n { // not copied at once, which is a call out of the module
		r.hash[i] = c.Hash[from+i]
		r.size[i] = uint16(c.size(from + i))
	}
	x.fileRun(id, r)
	return id
}

func (x *Index) takeRun() uint32 {
	c := &x.runs
	id := c.free
	if id != 0 {
		c.free = c.at(id).next
		c.idle--
		return id
	}
	return c.fresh()
}

// fileRun puts a run into the table, and gives the table a bucket for it.
func (x *Index) fileRun(id uint32, r *run) {
	if x.byHashRecords++; x.byHashRecords > int(x.byHash.buckets) {
		x.divideRuns()
	}
	head := x.byHash.head(x.spread(r.hash[0]))
	r.next, *head = *head, id
}

// divideRuns divides the next buckets of the table of runs. What they list is anywhere in memory: all that comes first in a list is
// read before, and then all that comes second, so that the processor waits for many at once.
func (x *Index) divideRuns() {
	t, sum := &x.byHash, uint64(0)
	if !x.headRoom(&t.heads) {
		return
	}
	lists, n := t.next()
	for range readAhead {
		for i := range n {
			r := x.runs.at(lists[i])
			sum, lists[i] = sum+r.hash[0], r.next
		}
	}
	x.read = sum // else the compiler would leave it out
	for range atOnce {
		if !x.headRoom(&t.heads) {
			return
		}
		list := t.extend()
		for list != 0 {
			moved := x.runs.at(list)
			head := t.head(x.spread(moved.hash[0]))
			list, moved.next, *head = moved.next, *head, list
		}
	}
}

// dropRun removes a run that nobody holds any more.
func (x *Index) dropRun(id uint32) {
	r := x.runs.at(id)
	at := x.byHash.head(x.spread(r.hash[0]))
	for *at != id && *at != 0 {
		at = &x.runs.at(*at).next
	}
	if *at == id {
		*at = r.next
	}
	x.byHashRecords--
	r.next, r.count, x.runs.free = x.runs.free, 0, id
	x.runs.idle++
}

// split divides a run behind its first blocks: those that follow become a run of their own with the same holders, which in
// each list stands just before, because it is evicted first. It is false, and nothing is done, if there is no room.
func (x *Index) split(id uint32, first int) bool {
	if !x.fits(1, x.holding(id)+x.spare) {
		return false
	}
	tail := x.takeRun()
	r, t := x.runs.at(id), x.runs.at(tail)
	n := int(r.count) - first
	t.gone, t.count, t.first, t.child, r.child = r.gone, uint8(n), 0, r.child, tail
	t.forks, t.after, r.forks, r.after = r.forks, r.after, 0, tag(r.hash[first])
	copy(t.hash[:n], r.hash[first:])
	copy(t.size[:n], r.size[first:])
	r.count = uint8(first)
	x.fileRun(tail, t)
	bytes := t.bytes()
	for w, word := range x.row(id) {
		for ; word != 0; word &= word - 1 {
			endpoint := w<<6 + bits.TrailingZeros64(word)
			whole := x.findPair(id, endpoint)
			if whole == 0 {
				continue
			}
			x.held[endpoint] -= bytes // newPair adds it
			x.blocks -= n
			x.linkBefore(x.newPair(tail, endpoint), whole)
		}
	}
	return true
}
