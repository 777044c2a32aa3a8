package prefix

// Seen is how many leading blocks of a chain have been entered at any endpoint, even if none holds them any more. It remembers the
// blocks that came last, a place of 2 bytes for each: the index's first piece of memory. One of 2^15 that was never entered seems to be.
func (x *Index) Seen(chain []uint64) int {
	n := len(chain)
	for n > 0 && *x.place(chain[n-1]) != tag(chain[n-1]) {
		n--
	}
	return n
}

// place is where a block's tag is kept.
func (x *Index) place(hash uint64) *uint16 { return &x.seen[int(x.spread(hash))&(len(x.seen)-1)] }
