package bound

// recent keeps pieces in a doubly linked list, the least recently used first. Of a piece only the beginning may be
// kept.
type recent struct {
	held       []int32 // tokens of each piece that are kept
	prev, next []int32 // in the list, through the last element, which is its two ends; next is -1 of what is not in it
	free, room int
}

func newRecent(pieces, tokens int) *recent {
	c := &recent{held: make([]int32, pieces), prev: make([]int32, pieces+1), next: make([]int32, pieces+1), free: tokens, room: tokens}
	for i := range c.next {
		c.next[i] = -1
	}
	end := int32(pieces)
	c.prev[end], c.next[end] = end, end
	return c
}

func (c *recent) remove(piece int32) {
	c.next[c.prev[piece]], c.prev[c.next[piece]] = c.next[piece], c.prev[piece]
	c.next[piece] = -1
	c.free += int(c.held[piece])
	c.held[piece] = 0
}

// use makes a prompt's pieces the most recently used, the first piece last, and evicts what no longer fits. Of a
// prompt longer than the cache the beginning is kept.
func (c *recent) use(prompt, size []int32) {
	room := c.room
	for _, piece := range prompt {
		if c.next[piece] >= 0 {
			c.remove(piece)
		}
	}
	end := int32(len(c.held))
	after := c.prev[end] // the most recent before
	for _, piece := range prompt {
		n := min(int(size[piece]), room)
		if n == 0 || c.next[piece] >= 0 {
			break
		}
		room -= n
		c.held[piece] = int32(n)
		c.free -= n
		c.prev[piece], c.next[piece] = after, c.next[after]
		c.prev[c.next[after]], c.next[after] = piece, piece
	}
	for c.free < 0 {
		oldest := c.next[end]
		n := min(int(c.held[oldest]), -c.free)
		c.held[oldest] -= int32(n)
		c.free += n
		if c.held[oldest] == 0 {
			c.remove(oldest)
		}
	}
}
