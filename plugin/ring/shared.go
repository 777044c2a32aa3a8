package ring

import "slices"

// Tables lets rings of the same members share their points: several pools may have the same endpoints. A ring whose members
// change takes a copy of its own first. The zero value is ready. It is not safe for concurrent use.
type Tables struct{ all []*table }

// table is the points of one or more rings.
type table struct {
	hash    []uint64
	owner   []int32
	members []slot
	rings   int
}

// Share makes r use the points of another ring that has the same members, or lets later ones use its own. Call it after r's members
// have changed.
func (t *Tables) Share(r *Ring) {
	if r.points == 0 || r.table != nil && !r.changed {
		r.settle()
		return
	}
	for _, of := range t.all {
		if of != r.table && of.isOf(r.slots) {
			r.Unshare()
			of.rings++
			r.hash, r.owner, r.table, r.tables = of.hash, of.owner, of, t
			for i := range r.slots {
				r.slots[i].settled = r.slots[i].points > 0
			}
			r.added, r.changed = r.added[:0], false
			return
		}
	}
	r.settle()
	r.table, r.tables = &table{slices.Clip(r.hash), slices.Clip(r.owner), slices.Clone(r.slots), 1}, t
	t.all = append(t.all, r.table)
}

// isOf says whether the table has the points of these members, of which each has its place.
func (t *table) isOf(members []slot) bool {
	for i := range max(len(t.members), len(members)) {
		var a, b slot
		if i < len(t.members) {
			a = t.members[i]
		}
		if i < len(members) {
			b = members[i]
		}
		if a.name != b.name || a.points != b.points {
			return false
		}
	}
	return true
}

// Unshare gives r points of its own. Call it when r is given up.
func (r *Ring) Unshare() {
	if r.table == nil {
		return
	}
	if r.table.rings--; r.table.rings > 0 {
		r.hash, r.owner = slices.Clone(r.hash), slices.Clone(r.owner)
	} else if at := slices.Index(r.tables.all, r.table); at >= 0 {
		r.tables.all = slices.Delete(r.tables.all, at, at+1)
	}
	r.table, r.tables = nil, nil
}
