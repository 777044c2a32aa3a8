package prefix

// The two tables of an Index: their probing, their deletion, and the lists that run through the pairs.

// golden is 2^64 ÷ the golden ratio, odd: multiplying by it spreads any difference to the high bits (Knuth, The Art
// of Computer Programming, volume 3, section 6.4).
const golden = 0x9e3779b97f4a7c15

// named is the hash as it stands in the tables: 0 marks a free slot there, so the hash 0 is replaced by another value.
func named(hash uint64) uint64 {
	if hash == 0 {
		return golden
	}
	return hash
}

// home is the first slot to look at for a value: its high bits as a fraction of the table (Lemire, "Fast Random
// Integer Generation in an Interval", 2019), for any number of slots.
func (x *Index) home(v uint64) int { return int((v * golden >> 32) * uint64(x.slots) >> 32) }

func (x *Index) pairHome(hash uint64, endpoint int) int {
	return x.home(hash ^ uint64(endpoint+1)*0xd6e8feb86659fd93)
}

// findPair is the slot of a pair, or the free one where it would go.
func (x *Index) findPair(hash uint64, endpoint int) (slot int, found bool) {
	hash = named(hash)
	for i := x.pairHome(hash, endpoint); ; {
		switch {
		case x.pair[i].hash == 0:
			return i, false
		case x.pair[i].hash == hash && x.pair[i].endpoint == uint16(endpoint):
			return i, true
		}
		if i++; i == x.slots {
			i = 0
		}
	}
}

// findBlock is the slot of a block, or the free one where it would go.
func (x *Index) findBlock(hash uint64) (slot int, found bool) {
	hash = named(hash)
	for i := x.home(hash); ; {
		if have := x.block[i]; have == hash || have == 0 {
			return i, have == hash
		}
		if i++; i == x.slots {
			i = 0
		}
	}
}

// put inserts a pair that is not there yet, as the endpoint's newest, in the free slot from findPair; -1: put looks for it.
func (x *Index) put(slot int, hash uint64, endpoint, size int, now uint32) {
	if slot < 0 {
		slot, _ = x.findPair(hash, endpoint)
	}
	p := &x.pair[slot]
	p.hash, p.endpoint, p.size = named(hash), uint16(endpoint), uint16(size)
	x.link(slot, now)
	x.pairs++
	x.held[endpoint] += int64(size)
	slot, _ = x.findBlock(hash)
	x.block[slot] = named(hash)
	x.holders[slot*x.words+endpoint>>6] |= 1 << (endpoint & 63)
}

// evict removes the endpoint's oldest pair.
func (x *Index) evict(endpoint int) { x.remove(x.oldest(endpoint)) }

func (x *Index) remove(at int) {
	hash, endpoint := x.pair[at].hash, int(x.pair[at].endpoint)
	x.held[endpoint] -= int64(x.pair[at].size)
	x.unlink(at)
	x.removePair(at)
	x.pairs--
	slot, _ := x.findBlock(hash)
	row := x.row(slot)
	row[endpoint>>6] &^= 1 << (endpoint & 63)
	for _, word := range row {
		if word != 0 {
			return
		}
	}
	x.removeBlock(slot)
}

func (x *Index) row(slot int) []uint64 { return x.holders[slot*x.words : (slot+1)*x.words] }

// removePair frees a slot, and moves back the pairs that had probed past it.
func (x *Index) removePair(gap int) {
	for i := gap; ; {
		if i++; i == x.slots {
			i = 0
		}
		p := x.pair[i]
		if p.hash == 0 {
			break
		}
		if !passes(x.pairHome(p.hash, int(p.endpoint)), gap, i) {
			continue
		}
		x.pair[gap] = p
		x.pair[p.older].newer, x.pair[p.newer].older = uint32(gap), uint32(gap)
		gap = i
	}
	x.pair[gap].hash = 0
}

func (x *Index) removeBlock(gap int) {
	for i := gap; ; {
		if i++; i == x.slots {
			i = 0
		}
		if x.block[i] == 0 {
			break
		}
		if !passes(x.home(x.block[i]), gap, i) {
			continue
		}
		x.block[gap] = x.block[i]
		copy(x.row(gap), x.row(i))
		gap = i
	}
	x.block[gap] = 0
	clear(x.row(gap))
}

// passes says whether probing from home to i, round the end of the table, passes the gap.
func passes(home, gap, i int) bool {
	if gap <= i {
		return home <= gap || home > i
	}
	return home <= gap && home > i
}

func (x *Index) oldest(endpoint int) int { return int(x.pair[x.slots+endpoint].newer) }

// link makes a pair its endpoint's newest.
func (x *Index) link(at int, now uint32) {
	p := &x.pair[at]
	sentinel := uint32(x.slots + int(p.endpoint))
	p.older, p.newer, p.stamp = x.pair[sentinel].older, sentinel, now
	x.pair[p.older].newer, x.pair[sentinel].older = uint32(at), uint32(at)
}

func (x *Index) unlink(at int) {
	p := &x.pair[at]
	x.pair[p.older].newer, x.pair[p.newer].older = p.newer, p.older
}
