package prefix

import (
	"math/bits"
	"slices"
)

// Level is how many endpoints are believed to hold a number of leading blocks of a chain, and no more.
type Level struct{ Blocks, Holders int32 }

// Match sets depth[e] to the number of leading blocks of the chain that endpoint e is believed to hold, for every
// endpoint; depth has room for all of them. It returns the numbers above 0 that there are, the lowest first, valid until the
// next call. An endpoint without a run is believed to hold none behind it.
func (x *Index) Match(chain []uint64, depth []int32) []Level {
	clear(depth)
	x.levels, x.shared, x.parted = x.levels[:0], 0, 0
	at, before := 0, uint32(0)
	for at < len(chain) {
		id := x.findNext(before, chain[at])
		if id == 0 {
			break
		}
		x.leave(depth, id, before == 0, at)
		r := x.runs.at(id)
		n := r.common(chain[at:])
		if at += n; n == int(r.count) && r.forks >= manyForks {
			x.shared = at
		}
		if r.parts(n, chain[at:]) {
			x.parted = at
		}
		before = id
	}
	if before != 0 {
		x.leave(depth, 0, false, at)
	}
	return x.levels
}

// leave sets the depth of the endpoints that hold all runs so far and not the next; 0 is one that nobody holds.
func (x *Index) leave(depth []int32, next uint32, first bool, d int) {
	alive := x.alive[:x.words]
	var row []uint64
	if next != 0 {
		row = x.row(next)
	}
	if first {
		copy(alive, row)
		return
	}
	holders := 0
	for w, word := range alive {
		if row != nil {
			alive[w] &= row[w]
			word &^= row[w]
		}
		holders += bits.OnesCount64(word)
		for ; word != 0; word &= word - 1 {
			depth[w<<6+bits.TrailingZeros64(word)] = int32(d)
		}
	}
	if holders > 0 {
		x.levels = append(x.levels, Level{int32(d), int32(holders)})
	}
}

// Touched is when the endpoint last touched the last of the chain's first n blocks, in ms; false if it is not believed to
// hold it.
func (x *Index) Touched(endpoint int, chain []uint64, n int) (at uint32, ok bool) {
	run := x.reach(chain, n)
	if run == 0 {
		return 0, false
	}
	if id := x.findPair(run, endpoint); id != 0 {
		return x.pairs.at(id).stamp, true
	}
	return 0, false
}

// reach is the run that has the last of the chain's first n blocks; 0: none. It is found once for all endpoints that a decision asks of:
// a block's hash is that of all before it.
func (x *Index) reach(chain []uint64, n int) uint32 {
	if n == 0 {
		return 0
	}
	if x.reached != 0 {
		if r := x.runs.at(x.reached); slices.Contains(r.hash[:r.count], chain[n-1]) {
			return x.reached
		}
	}
	done, run := 0, uint32(0)
	for done < n {
		if run = x.findNext(run, chain[done]); run == 0 {
			return 0
		}
		common := x.runs.at(run).common(chain[done:])
		if done += common; done < n && common < int(x.runs.at(run).count) {
			return 0
		}
	}
	x.reached = run
	return run
}
