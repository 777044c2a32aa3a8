package prefix

// mark is what is remembered of a block that was entered: its tag, whose lowest bit is 0 once a second request has entered it, and when it
// was entered last, in units of 2^markShift ms. A request that is sent to another endpoint enters its blocks a second time.
type mark struct{ tag, used uint16 }

func (m mark) is(hash uint64) bool { return m.tag|1 == markTag(hash) }

// markTag is a block's tag before a second request enters it; not 1, or an empty place would be a block that two have entered.
func markTag(hash uint64) uint16 { return max(tag(hash), 3) }

// markShift makes a unit of a quarter of a second. The units begin anew every 4.6 hours: what was used more than 2.3 hours ago may seem to
// have been used just now.
const markShift = 8

// Seen is how many leading blocks of a chain have been entered at any endpoint, even if none holds them any more. It remembers the
// blocks that came last, a place of 4 bytes for each: the index's first memory. One of 2^15 that was never entered seems to be.
func (x *Index) Seen(chain []uint64) int {
	n := len(chain)
	for n > 0 && !x.place(chain[n-1]).is(chain[n-1]) {
		n--
	}
	return n
}

// SeenAgain is how many leading blocks of a chain more than one request has entered, likewise.
func (x *Index) SeenAgain(chain []uint64) int {
	n := len(chain)
	for n > 0 && x.place(chain[n-1]).tag != markTag(chain[n-1])&^1 {
		n--
	}
	return n
}

// SeenSince is how many leading blocks of a chain were entered at since, in ms, or after. Those whose places others have taken meanwhile
// count if one that follows does: a chain's beginning is never used less recently than what follows.
func (x *Index) SeenSince(chain []uint64, since uint32) int {
	n := len(chain)
	for n > 0 {
		if m := x.place(chain[n-1]); m.is(chain[n-1]) && int16(m.used-uint16(since>>markShift)) >= 0 {
			break
		}
		n--
	}
	return n
}

// see remembers the blocks that a request enters, of which it has entered the first before.
func (x *Index) see(chain []uint64, first int, now uint32) {
	for i, hash := range chain {
		m, as := x.place(hash), markTag(hash)
		switch known := m.is(hash); {
		case known && i < first:
			as = m.tag
		case known:
			as &^= 1
		}
		*m = mark{tag: as, used: uint16(now >> markShift)}
	}
}

// place is where a block's mark is kept.
func (x *Index) place(hash uint64) *mark { return &x.seen[int(x.spread(hash))&(len(x.seen)-1)] }
