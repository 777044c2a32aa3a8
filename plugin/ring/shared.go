package ring

import "slices"

// Tables lets rings of the same members share their points: several pools may have the same endpoints. A ring whose members
// change takes a copy of its own first. The zero value is ready. It is not safe for concurrent use.
type Tables struct{ all []*table }

// table is the points of one or more rings.
type table struct {
	hash  []uint64
	owner []int32
	rings int
}

// Share makes r use the points of another ring that has the same, or lets later ones use its own. Call it after r's members have
// changed.
func (t *Tables) Share(r *Ring) {
	r.settle()
	if r.table != nil || len(r.hash) == 0 {
		return
	}
	for _, of := range t.all {
		if slices.Equal(of.hash, r.hash) && slices.Equal(of.owner, r.owner) {
			of.rings++
			r.hash, r.owner, r.table, r.tables = of.hash, of.owner, of, t
			return
		}
	}
	r.table, r.tables = &table{slices.Clip(r.hash), slices.Clip(r.owner), 1}, t
	t.all = append(t.all, r.table)
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
