package main

// contexts finds the requests of a VM by their IDs, which the proxy gives one after the other: a table with open addressing and
// linear probing (Knuth, The Art of Computer Programming, volume 3, section 6.4, algorithms L and R), at most half full, in
// which neighbours in time are neighbours: a group of them, for groups are spread. Else thousands of requests in a row that stay long
// would be one run of taken places, which each request that comes later and has its place there would walk. No ID is 0.
type contexts struct {
	ids     []uint32 // 0: free
	streams []*stream
	n       int
}

// leastContexts is the places of the first table.
const leastContexts = 64

// find is the request of that ID; nil: it is not here.
func (c *contexts) find(id uint32) *stream {
	if at, found := c.place(id); found {
		return c.streams[at]
	}
	return nil
}

// home is where an ID is to be, in a table of any size: 16 in a row are together, and the next 16 elsewhere (by 2^32 ÷ the golden ratio,
// Knuth, section 6.4).
func home(id uint32) int { return int(id>>4*0x9E3779B1<<4 | id&15) }

// place is where an ID is, or else where it is to go. There must be a free place.
func (c *contexts) place(id uint32) (at int, found bool) {
	mask := len(c.ids) - 1
	for at = home(id) & mask; c.ids[at] != 0; at = (at + 1) & mask {
		if c.ids[at] == id {
			return at, true
		}
	}
	return at, false
}

func (c *contexts) add(id uint32, s *stream) {
	if 2*(c.n+1) > len(c.ids) {
		c.grow()
	}
	at, found := c.place(id)
	if !found {
		c.n++
	}
	c.ids[at], c.streams[at] = id, s
}

// grow doubles the table.
func (c *contexts) grow() {
	old := *c
	size := max(2*len(old.ids), leastContexts)
	*c = contexts{ids: make([]uint32, size), streams: make([]*stream, size), n: old.n}
	for i, id := range old.ids {
		if id != 0 {
			at, _ := c.place(id)
			c.ids[at], c.streams[at] = id, old.streams[i]
		}
	}
}

// remove removes an ID, and says whether it was here. What follows moves up, so that no search ends too early.
func (c *contexts) remove(id uint32) bool {
	free, found := c.place(id)
	if !found {
		return false
	}
	c.n--
	mask := len(c.ids) - 1
	for at := (free + 1) & mask; c.ids[at] != 0; at = (at + 1) & mask {
		if (at-home(c.ids[at]))&mask >= (at-free)&mask {
			c.ids[free], c.streams[free] = c.ids[at], c.streams[at]
			free = at
		}
	}
	c.ids[free], c.streams[free] = 0, nil
	return true
}
