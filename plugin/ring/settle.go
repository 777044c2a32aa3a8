package ring

import (
	"math/bits"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// Many members may come and leave at once, as when a deployment grows from 3
// replicas to 500. Their points are taken off and put in their places together,
// in time linear in the number of points, before the next walk.

// settle makes the points those of the members present.
func (r *Ring) settle() {
	if !r.changed {
		return
	}
	r.changed = false
	r.Unshare()
	kept := 0
	for i, owner := range r.owner {
		if r.slots[owner].settled {
			r.hash[kept], r.owner[kept] = r.hash[i], owner
			kept++
		}
	}
	r.hash, r.owner = r.hash[:kept], r.owner[:kept]
	hash := make([]uint64, 0, r.points-kept)
	owner := make([]int32, 0, r.points-kept)
	for _, member := range r.added {
		s := &r.slots[member]
		if s.points == 0 || s.settled { // it left again, or came twice
			continue
		}
		s.settled = true
		hash = appendPoints(hash, s.name, s.points)
		for range s.points {
			owner = append(owner, member)
		}
	}
	r.added = r.added[:0]
	r.merge(r.sorted(hash, owner))
}

// appendPoints appends the n points of a name. The number of the vnode follows
// the name in four bytes, never in decimal: "a1" and 1 is not "a" and 11.
func appendPoints(points []uint64, name string, n int) []uint64 {
	text := append(make([]byte, 0, len(name)+4), name...)
	for v := range n {
		text = append(text[:len(name)], byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
		points = append(points, xxhash.Sum64(text))
	}
	return points
}

// sorted returns the points in ring order: hashes are uniform, so counting by
// their first bits leaves each one within a few places of its own.
func (r *Ring) sorted(hash []uint64, owner []int32) ([]uint64, []int32) {
	if len(hash) == 0 {
		return nil, nil
	}
	shift := 64 - bits.Len(uint(len(hash)-1))
	first := make([]int32, 1<<(64-shift)+1)
	for _, h := range hash {
		first[h>>shift+1]++
	}
	for i := 1; i < len(first); i++ {
		first[i] += first[i-1]
	}
	hashes, owners := make([]uint64, len(hash)), make([]int32, len(hash))
	for i, h := range hash {
		at := first[h>>shift]
		first[h>>shift]++
		hashes[at], owners[at] = h, owner[i]
	}
	for i := 1; i < len(hashes); i++ {
		h, o, at := hashes[i], owners[i], i
		for ; at > 0 && r.after(hashes[at-1], owners[at-1], h, o); at-- {
			hashes[at], owners[at] = hashes[at-1], owners[at-1]
		}
		hashes[at], owners[at] = h, o
	}
	return hashes, owners
}

// merge brings sorted points into the ring, from the back, so that no second copy
// of the ring is needed.
func (r *Ring) merge(hash []uint64, owner []int32) {
	if len(r.hash) == 0 {
		r.hash, r.owner = hash, owner
		return
	}
	i, j := len(r.hash)-1, len(hash)-1
	all := len(r.hash) + len(hash)
	r.hash = slices.Grow(r.hash, len(hash))[:all]
	r.owner = slices.Grow(r.owner, len(hash))[:all]
	for to := all - 1; j >= 0; to-- {
		if i >= 0 && r.after(r.hash[i], r.owner[i], hash[j], owner[j]) {
			r.hash[to], r.owner[to] = r.hash[i], r.owner[i]
			i--
		} else {
			r.hash[to], r.owner[to] = hash[j], owner[j]
			j--
		}
	}
}

// after says whether point a comes after point b. Equal hashes are ordered by
// name, because slots may differ between gateways where names do not.
func (r *Ring) after(a uint64, ownerA int32, b uint64, ownerB int32) bool {
	if a != b {
		return a > b
	}
	if nameA, nameB := r.slots[ownerA].name, r.slots[ownerB].name; nameA != nameB {
		return nameA > nameB
	}
	return ownerA > ownerB
}
