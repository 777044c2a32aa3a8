package prefix

import "math/bits"

// Match sets depth[e] to the number of leading blocks of the chain that endpoint e is believed to hold, for every
// endpoint; depth has room for all of them. Because the holders of a block are among those of the block before,
// no block between two blocks with the same holders needs to be looked at: the chain is halved until neighbours differ,
// which looks at about log₂(blocks) blocks for each distinct depth and never at one twice.
func (x *Index) Match(chain []uint64, depth []int32) {
	clear(depth)
	if len(chain) == 0 {
		return
	}
	first := x.lookUp(chain[0])
	if first < 0 {
		return
	}
	end := len(chain) - 1
	last := first
	if end > 0 {
		last = x.lookUp(chain[end])
		x.between(chain, depth, 0, end, first, last)
	}
	x.record(depth, last, -1, end+1)
}

// lookUp is the slot of a block; −1 if no endpoint holds it.
func (x *Index) lookUp(hash uint64) int {
	if slot, found := x.findBlock(hash); found {
		return slot
	}
	return -1
}

// between records the endpoints whose depth is above low and at most high: blocks counted from 0, with their slots.
func (x *Index) between(chain []uint64, depth []int32, low, high, lowSlot, highSlot int) {
	if x.alike(lowSlot, highSlot) {
		return
	}
	if high-low == 1 {
		x.record(depth, lowSlot, highSlot, high)
		return
	}
	middle := int(uint(low+high) >> 1)
	middleSlot := x.lookUp(chain[middle])
	x.between(chain, depth, low, middle, lowSlot, middleSlot)
	x.between(chain, depth, middle, high, middleSlot, highSlot)
}

// alike says whether the same endpoints hold two blocks.
func (x *Index) alike(a, b int) bool {
	if a == b {
		return true
	}
	if a < 0 || b < 0 {
		return false // a block in the table has a holder
	}
	for w, word := range x.row(a) {
		if word != x.holders[b*x.words+w] {
			return false
		}
	}
	return true
}

// record sets the depth of the endpoints that hold block a and not block b.
func (x *Index) record(depth []int32, a, b, d int) {
	if a < 0 {
		return
	}
	for w, word := range x.row(a) {
		if b >= 0 {
			word &^= x.holders[b*x.words+w]
		}
		for ; word != 0; word &= word - 1 {
			depth[w<<6+bits.TrailingZeros64(word)] = int32(d)
		}
	}
}
