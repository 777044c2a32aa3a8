// Package ring is a consistent hash ring with virtual nodes, after Karger,
// Lehman, Leighton, Panigrahy, Levine and Lewin, "Consistent Hashing and
// Random Trees" (STOC 1997): every member is hashed to many points of a circle
// of 64 bits, and a key belongs to the first point at or after it. Adding a
// member takes keys for that member only; removing one moves only its keys.
//
// A walk goes on round the circle and gives each member once, nearest first.
// That order is what bounded loads need (Mirrokni, Thorup and Zadimoghaddam,
// "Consistent Hashing with Bounded Loads", 2016: a key goes to the first member
// in ring order that is below the bound). The bound itself is in package route;
// the ring knows no load.
//
// The order depends on the names, weights and vnodes alone, not on the slots of
// the members nor on the order in which they were added, so that gateways which
// share nothing agree.
package ring

const (
	// MaxMembers bounds the member slots: 0 ≤ member < MaxMembers.
	MaxMembers = 1 << 16
	// MaxPoints bounds the points of a ring, Σ weight × vnodes. A point takes 12
	// bytes, so a full ring takes 12 MiB.
	MaxPoints = 1 << 20
)

// Ring is a consistent hash ring. It is not safe for concurrent use, and a walk
// is a use: a proxy-wasm VM has one thread.
type Ring struct {
	vnodes  int
	members int // members present
	points  int // of all members

	// The points in ring order, by hash and then by the owner's name, as they were
	// settled last. Two slices, so that the binary search touches hashes only.
	hash  []uint64
	owner []int32

	changed bool    // members came or left since
	added   []int32 // members that came, some of them to leave again

	table  *table // the two slices are other rings' too; nil: they are this ring's alone
	tables *Tables
	slots  []slot // by member
	stamp  uint32 // the walk that is valid now
}

// slot is what the ring keeps of one member; points is 0 where it is absent.
type slot struct {
	name    string
	points  int
	settled bool   // its points are in the ring
	seen    uint32 // the last walk that gave this member
}

// New returns an empty ring in which a member of weight 1 has that many points;
// less than 1 counts as 1. The share of a member deviates from fair by about
// 1/√(vnodes × weight), one standard deviation: 6 % at 256.
func New(vnodes int) *Ring {
	return &Ring{vnodes: min(max(vnodes, 1), MaxPoints)}
}

// Members is the number of members present.
func (r *Ring) Members() int { return r.members }

// Points is the number of points of all members.
func (r *Ring) Points() int { return r.points }

// Has says whether the member is present.
func (r *Ring) Has(member int) bool {
	return member >= 0 && member < len(r.slots) && r.slots[member].points > 0
}

// Add puts a member on the ring with weight × vnodes points, which depend on its
// name only; a weight below 1 counts as 1. A member already present is replaced.
// Names are to be distinct: of two members with one name, the lower slot gets
// the keys. Add reports false, and leaves the ring as it was, where the slot
// is outside 0 to MaxMembers−1 or the points would exceed MaxPoints.
//
// It ends a walk under way. The next walk puts the
// points of all members that were added in their places (settle.go).
func (r *Ring) Add(member int, name string, weight int) bool {
	if member < 0 || member >= MaxMembers {
		return false
	}
	weight = max(weight, 1)
	room := MaxPoints - r.points
	if r.Has(member) {
		room += r.slots[member].points
	}
	if weight > room/r.vnodes {
		return false
	}
	r.Remove(member)
	for len(r.slots) <= member {
		r.slots = append(r.slots, slot{})
	}
	r.slots[member] = slot{name: name, points: weight * r.vnodes}
	r.members++
	r.points += weight * r.vnodes
	r.added, r.changed = append(r.added, int32(member)), true
	if len(r.added) > 2*len(r.slots) { // nobody walks
		r.settle()
	}
	r.invalidate()
	return true
}

// Remove takes a member off the ring; one that is absent is no error. It ends a
// walk under way.
func (r *Ring) Remove(member int) {
	if !r.Has(member) {
		return
	}
	r.members--
	r.points -= r.slots[member].points
	r.slots[member] = slot{}
	r.changed = true
	r.invalidate()
}
