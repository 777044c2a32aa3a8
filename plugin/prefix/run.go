package prefix

import "math/bits"

// runBlocks is the most blocks of a run: 2 KB of a prompt's beginning, 128 KB of its depth.
const runBlocks = 8

// run is consecutive blocks that the same endpoints hold, found by the hash of the first.
type run struct {
	hash  [runBlocks]uint64
	size  [runBlocks]uint16 // bytes of prompt in each block
	next  uint32            // in the bucket, or the next free one
	bytes uint32            // of prompt, in all blocks
	count uint8             // of blocks; 0: the record is free
	forks uint8             // chains that went on from here otherwise than the last one before them
	after uint16            // tag of the block that followed last; 0: none did
	child uint32            // a run that followed this one, to look at first; 0: none
}

// pair is one run at one endpoint.
type pair struct {
	run          uint32
	next         uint32 // in the bucket, or the next free one
	older, newer uint32 // neighbours in the endpoint's list; 0: none; its own number: it is on no list
	stamp        uint32 // last touch, ms
	endpoint     uint16
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

func pairKey(run uint32, endpoint int) uint64 { return uint64(run)<<16 | uint64(endpoint) }

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

// findPair is the pair of a run and an endpoint; 0: none.
func (x *Index) findPair(run uint32, endpoint int) uint32 {
	id := x.byRun.first(x.spread(pairKey(run, endpoint)))
	for i := 0; id != 0 && i < longest; i++ {
		p := x.pairs.at(id)
		if p.run == run && int(p.endpoint) == endpoint {
			return id
		}
		id = p.next
	}
	return 0
}

// newRun files a run of the chain's first blocks, which nobody holds yet. There must be room.
func (x *Index) newRun(c *Chain, from, n int) uint32 {
	id := x.takeRun()
	r := x.runs.at(id)
	r.child, r.forks, r.after = 0, 0, 0
	r.bytes, r.count = uint32(c.Covered(from+n)-c.Covered(from)), uint8(n)
	copy(r.hash[:n], c.Hash[from:])
	for i := range n {
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
	x.byHashRecords++
	if t := &x.byHash; x.byHashRecords > int(t.buckets) && x.headRoom(&t.heads) {
		bucket, ok := t.divides()
		list := uint32(0)
		if ok {
			list = *t.heads.at(bucket)
			*t.heads.at(bucket) = 0
		}
		t.extend()
		for list != 0 {
			moved := x.runs.at(list)
			head := t.head(x.spread(moved.hash[0]))
			list, moved.next, *head = moved.next, *head, list
		}
	}
	head := x.byHash.head(x.spread(r.hash[0]))
	r.next, *head = *head, id
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

// newPair files the pair of a run and an endpoint, without a place in the endpoint's list. There must be room.
func (x *Index) newPair(run uint32, endpoint int) uint32 {
	c := &x.pairs
	id := c.free
	if id != 0 {
		c.free = c.at(id).next
		c.idle--
	} else {
		id = c.fresh()
	}
	x.filePair(id, run, endpoint)
	r := x.runs.at(run)
	x.held[endpoint] += int64(r.bytes)
	x.blocks += int(r.count)
	x.row(run)[endpoint>>6] |= 1 << (endpoint & 63)
	return id
}

func (x *Index) filePair(id, run uint32, endpoint int) {
	x.byRunRecords++
	if t := &x.byRun; x.byRunRecords > int(t.buckets) && x.headRoom(&t.heads) {
		bucket, ok := t.divides()
		list := uint32(0)
		if ok {
			list = *t.heads.at(bucket)
			*t.heads.at(bucket) = 0
		}
		t.extend()
		for list != 0 {
			moved := x.pairs.at(list)
			head := t.head(x.spread(pairKey(moved.run, int(moved.endpoint))))
			list, moved.next, *head = moved.next, *head, list
		}
	}
	p := x.pairs.at(id)
	head := x.byRun.head(x.spread(pairKey(run, endpoint)))
	*p = pair{run: run, endpoint: uint16(endpoint), next: *head, older: id, newer: id}
	*head = id
}

// dropPair removes a pair, which is in its endpoint's list, and its run if it was the last.
func (x *Index) dropPair(id uint32) {
	p := x.pairs.at(id)
	run, endpoint := p.run, int(p.endpoint)
	x.unlink(id)
	at := x.byRun.head(x.spread(pairKey(run, endpoint)))
	for *at != id && *at != 0 {
		at = &x.pairs.at(*at).next
	}
	if *at == id {
		*at = p.next
	}
	x.byRunRecords--
	p.next, p.run, x.pairs.free = x.pairs.free, 0, id
	x.pairs.idle++
	r := x.runs.at(run)
	x.held[endpoint] -= int64(r.bytes)
	x.blocks -= int(r.count)
	row, any := x.row(run), uint64(0)
	row[endpoint>>6] &^= 1 << (endpoint & 63)
	for _, word := range row {
		any |= word
	}
	if any == 0 {
		x.dropRun(run)
	}
}

// row is the holders of a run: a bit for each endpoint.
func (x *Index) row(run uint32) []uint64 {
	at := int(run&(1<<x.runs.shift-1)) * x.words
	return x.holders[run>>x.runs.shift][at : at+x.words]
}

// holding is the number of endpoints that hold a run.
func (x *Index) holding(run uint32) (n int) {
	for _, word := range x.row(run) {
		n += bits.OnesCount64(word)
	}
	return n
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
	t.count, t.bytes, t.child, r.child = uint8(n), 0, r.child, tail
	t.forks, t.after, r.forks, r.after = r.forks, r.after, 0, tag(r.hash[first])
	copy(t.hash[:n], r.hash[first:])
	copy(t.size[:n], r.size[first:])
	for _, size := range t.size[:n] {
		t.bytes += uint32(size)
	}
	r.count, r.bytes = uint8(first), r.bytes-t.bytes
	x.fileRun(tail, t)
	for w, word := range x.row(id) {
		for ; word != 0; word &= word - 1 {
			endpoint := w<<6 + bits.TrailingZeros64(word)
			whole := x.findPair(id, endpoint)
			if whole == 0 {
				continue
			}
			x.held[endpoint] -= int64(t.bytes) // newPair adds it
			x.blocks -= n
			x.linkBefore(x.newPair(tail, endpoint), whole)
		}
	}
	return true
}
