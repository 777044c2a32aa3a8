package bound

import (
	"container/heap"
	"math"
)

// never is the next use of a piece that is not used again.
const never = math.MaxInt32

// cache keeps pieces by Belady's rule: the piece that is used again last is evicted first. A piece may be kept in part.
type cache struct {
	held  []int32 // tokens of each piece that are kept
	next  []int32 // its next use
	order latest
	free  int
}

// entry is a piece in the heap; it is stale when the piece's next use has changed since.
type entry struct{ next, piece int32 }

type latest []entry

func (h latest) Len() int           { return len(h) }
func (h latest) Less(i, j int) bool { return h[i].next > h[j].next }
func (h latest) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *latest) Push(x any)        { *h = append(*h, x.(entry)) }
func (h *latest) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

func newCache(pieces, tokens int) *cache {
	return &cache{held: make([]int32, pieces), next: make([]int32, pieces), free: tokens}
}

// put stores a whole piece until its next use; the caller then evicts what exceeds the capacity.
func (c *cache) put(piece, size, next int32) {
	c.free += int(c.held[piece])
	c.held[piece] = 0
	c.next[piece] = next
	if next == never {
		return
	}
	c.held[piece] = size
	c.free -= int(size)
	heap.Push(&c.order, entry{next, piece})
}

// evict removes the pieces that are used again last until the rest fits.
func (c *cache) evict() {
	for c.free < 0 {
		top := c.order[0]
		if c.held[top.piece] == 0 || c.next[top.piece] != top.next {
			heap.Pop(&c.order)
			continue
		}
		n := min(c.held[top.piece], int32(-c.free))
		c.held[top.piece] -= n
		c.free += int(n)
		if c.held[top.piece] == 0 {
			heap.Pop(&c.order)
		}
	}
}
