// Package contexts finds the requests of a VM by their IDs, which the proxy gives one after the other: a hash table with open
// addressing and linear probing (Knuth, The Art of Computer Programming, volume 3, section 6.4, algorithms L and R), at most half
// full.
//
// Neighbours in time are neighbours in the table, in groups of 16, and groups are spread. Otherwise thousands of requests in a row
// that stay long would be one run of taken places, and each later request whose place is there would walk through all of it.
package contexts

// Table has a pointer to a T for each ID. No ID is 0. Before its first use Grow must be called.
type Table[T any] struct {
	ids []uint32 // 0: free
	of  []*T
	n   int
}

// least is the places of the first table.
const least = 64

// Find is what was added under that ID; nil: nothing, or it was removed.
func (c *Table[T]) Find(id uint32) *T {
	if at, found := c.place(id); found {
		return c.of[at]
	}
	return nil
}

// home is where an ID is to be, in a table of any size: 16 in a row are together, and the next 16 elsewhere (by 2^32 ÷ the golden ratio,
// Knuth, section 6.4).
func home(id uint32) int { return int(id>>4*0x9E3779B1<<4 | id&15) }

// place is where an ID is, or else where it is to go. There must be a free place.
func (c *Table[T]) place(id uint32) (at int, found bool) {
	mask := len(c.ids) - 1
	for at = home(id) & mask; c.ids[at] != 0; at = (at + 1) & mask {
		if c.ids[at] == id {
			return at, true
		}
	}
	return at, false
}

// Add adds an ID, or replaces what it has.
func (c *Table[T]) Add(id uint32, of *T) {
	if 2*(c.n+1) > len(c.ids) {
		c.Grow()
	}
	at, found := c.place(id)
	if !found {
		c.n++
	}
	c.ids[at], c.of[at] = id, of
}

// Grow doubles the table, or makes the first one, of 64 places.
func (c *Table[T]) Grow() {
	old := *c
	size := max(2*len(old.ids), least)
	*c = Table[T]{ids: make([]uint32, size), of: make([]*T, size), n: old.n}
	for i, id := range old.ids {
		if id != 0 {
			at, _ := c.place(id)
			c.ids[at], c.of[at] = id, old.of[i]
		}
	}
}

// Remove removes an ID, and says whether it was here. What follows moves up, so that no search ends too early.
func (c *Table[T]) Remove(id uint32) bool {
	free, found := c.place(id)
	if !found {
		return false
	}
	c.n--
	mask := len(c.ids) - 1
	for at := (free + 1) & mask; c.ids[at] != 0; at = (at + 1) & mask {
		if (at-home(c.ids[at]))&mask >= (at-free)&mask {
			c.ids[free], c.of[free] = c.ids[at], c.of[at]
			free = at
		}
	}
	c.ids[free], c.of[free] = 0, nil
	return true
}
