package vllm

import "math/bits"

// table finds blocks by their hash: open addressing with linear probing, at most half full, so that a look-up reads one or two
// neighbouring slots. An engine spends most of its time here, and Go's map takes twice as long.
type table struct {
	slots []slot
	shift uint // of a tag, to its first slot
}

// slot is a block and what of its hash is compared first.
type slot struct {
	tag   uint32
	block int32 // plus one; 0: empty
}

// newTable is for at most n blocks, n ≤ 2³⁰.
func newTable(n int) table {
	size := max(bits.Len(uint(2*n-1)), 1)
	return table{make([]slot, 1<<size), uint(32 - size)}
}

// tagOf is the upper half of a product, which spreads hashes that differ in few bits (Knuth, The Art of Computer Programming,
// volume 3, section 6.4). Its upper bits are the slot in which a search begins.
func tagOf(hash uint64) uint32 { return uint32(hash * 0x9E3779B97F4A7C15 >> 32) }

// find is the slot that holds a hash's block, or the empty one where it is to be put.
func (t *table) find(blocks []block, hash uint64) (at int, found bool) {
	tag, last := tagOf(hash), len(t.slots)-1
	for at = int(tag >> t.shift); ; at = (at + 1) & last {
		switch s := t.slots[at]; {
		case s.block == 0:
			return at, false
		case s.tag == tag && blocks[s.block-1].hash == hash:
			return at, true
		}
	}
}

func (t *table) block(at int) int32 { return t.slots[at].block - 1 }

func (t *table) set(at int, hash uint64, block int32) { t.slots[at] = slot{tagOf(hash), block + 1} }

// remove empties a slot, and moves those behind it that a search would no longer reach (Knuth's algorithm 6.4R).
func (t *table) remove(at int) {
	last := len(t.slots) - 1
	for next := (at + 1) & last; t.slots[next].block != 0; next = (next + 1) & last {
		first := int(t.slots[next].tag >> t.shift)
		if (next-first)&last >= (next-at)&last {
			t.slots[at] = t.slots[next]
			at = next
		}
	}
	t.slots[at] = slot{}
}

func (t *table) clear() { clear(t.slots) }
