package ring

import (
	"slices"
	"strconv"
	"testing"
)

func orderFrom(r *Ring, key uint64) (members []int) {
	walk := r.From(key)
	for m, ok := walk.Next(); ok; m, ok = walk.Next() {
		members = append(members, m)
	}
	return members
}

// Rings that share their points, and whose members come and go, are those of rings that share nothing.
func TestShared(t *testing.T) {
	var tables Tables
	var shared, alone []*Ring
	for range 4 {
		shared, alone = append(shared, New(16)), append(alone, New(16))
	}
	check := func(when string, kinds int) {
		t.Helper()
		for i := range shared {
			tables.Share(shared[i])
			for key := uint64(1); key != 0; key <<= 1 {
				if got, want := orderFrom(shared[i], key), orderFrom(alone[i], key); !slices.Equal(got, want) {
					t.Fatalf("%s: ring %d from %x: %v, want %v", when, i, key, got, want)
				}
			}
		}
		if len(tables.all) != kinds {
			t.Errorf("%s: %d tables, want %d", when, len(tables.all), kinds)
		}
	}
	both := func(i int, change func(r *Ring)) { change(shared[i]); change(alone[i]) }
	for i := range shared {
		for m := range 5 {
			both(i, func(r *Ring) { r.Add(m, "10.0.0."+strconv.Itoa(m), 1+m%2) })
		}
	}
	check("all alike", 1)
	both(1, func(r *Ring) { r.Remove(3) })
	check("one is smaller", 2)
	both(2, func(r *Ring) { r.Add(5, "10.0.0.9", 1) })
	check("one is larger", 3)
	both(1, func(r *Ring) { r.Add(3, "10.0.0.3", 2) })
	check("one is as before", 2)
	both(2, func(r *Ring) { r.Remove(5) })
	both(0, func(r *Ring) { r.Add(0, "10.0.0.0", 3) })
	check("another weight", 2)
	for i := range shared {
		shared[i].Unshare()
	}
	if len(tables.all) > 0 {
		t.Errorf("%d tables are left", len(tables.all))
	}
}
