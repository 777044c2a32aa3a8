package ring

import "math/bits"

// near is the first step of a search, in points: their hashes are one line of a
// processor's cache.
const near = 8

// Walk gives the members in ring order from a key, each once, without
// allocating. The members already given are marked in the ring, so a ring has
// one walk at a time: From, Add and Remove end the walk before, whose Next then
// reports false.
type Walk struct {
	ring  *Ring
	at    int // the next point
	left  int // members not yet given
	stamp uint32
	parts []float32 // of members, 0 to 1: that part of the points of each counts in the first round; nil: all
	round int       // points passed in it
}

// From starts a walk at the first point at or after key, a hash that is uniform
// over 64 bits. The first member of the walk is the owner of the key.
func (r *Ring) From(key uint64) Walk { return r.FromBy(key, nil) }

// FromBy is From on a ring of which each member has that part, 0 to 1, of its points; nil: all of them. A member has the last of keys less as
// its part is smaller, and no points have to be moved when parts change: whether one counts is in its hash. Those of which no point counts come last.
func (r *Ring) FromBy(key uint64, parts []float32) Walk {
	r.settle()
	r.invalidate()
	return Walk{ring: r, at: r.search(key), left: r.members, stamp: r.stamp, parts: parts}
}

// Owners is the members at the points at or after key, and at those before it, in ring order: as Walk gives them, but most of
// them more than once. The slices are the ring's own.
func (r *Ring) Owners(key uint64) (after, before []int32) {
	r.settle()
	at := r.search(key)
	return r.owner[at:], r.owner[:at]
}

// counts says whether a point counts. Where it lies is told by the first bits of its hash, this by the last.
func counts(hash uint64, owner int32, parts []float32) bool {
	return float64(uint32(hash)) < float64(parts[owner])*(1<<32)
}

// Next returns the next member, or false when all were given or the walk was
// ended by a change of the ring or a later walk.
func (w *Walk) Next() (member int, ok bool) {
	if w.left <= 0 || w.stamp != w.ring.stamp {
		return 0, false
	}
	r := w.ring
	for range 2 * len(r.owner) {
		if w.at >= len(r.owner) {
			w.at = 0
		}
		at := w.at
		w.at++
		if w.parts != nil {
			if w.round++; w.round > len(r.owner) {
				w.parts = nil
			} else if !counts(r.hash[at], r.owner[at], w.parts) {
				continue
			}
		}
		member = int(r.owner[at])
		if s := &r.slots[member]; s.seen != w.stamp {
			s.seen = w.stamp
			w.left--
			return member, true
		}
	}
	return 0, false
}

// search returns the index of the first point at or after key, or the number of
// points where key is behind the last: Next wraps round. Points are uniform, so
// it begins where the key's share of the circle says, off by √points ÷ 2 at most
// in the mean, and doubles its steps from there: what it reads lies together,
// where a search by halves reads a place of memory for each.
func (r *Ring) search(key uint64) int {
	low, high := 0, len(r.hash)
	guess, _ := bits.Mul64(key, uint64(high))
	if at := int(guess); at < high {
		step := near
		if r.hash[at] < key {
			for low = at + 1; low+step < high && r.hash[low+step] < key; step *= 2 {
				low += step + 1
			}
			high = min(high, low+step)
		} else {
			for high = at; high-step > 0 && r.hash[high-step] >= key; step *= 2 {
				high -= step
			}
			low = max(low, high-step)
		}
	}
	for low < high {
		if middle := int(uint(low+high) >> 1); r.hash[middle] < key {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// invalidate ends the walk under way. Stamp 0 is no walk's: when the stamps have
// all been used, the marks of old walks are wiped so that none is taken for new.
func (r *Ring) invalidate() {
	r.stamp++
	if r.stamp == 0 {
		for i := range r.slots {
			r.slots[i].seen = 0
		}
		r.stamp = 1
	}
}
