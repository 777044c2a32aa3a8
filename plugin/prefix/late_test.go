package prefix

import "testing"

// An endpoint has more to evict than one call may, and a request ends whose chain is among what the next call evicts: what is left on the
// endpoint's list is what it holds.
func TestEndOfWhatIsEvictedLate(t *testing.T) {
	for what, lose := range map[string]func(x *Index){
		"a smaller cache": func(x *Index) { x.SetCapacity(0, 100) },
		"a restart":       func(x *Index) { x.Drop(0) },
	} {
		x := NewIndex(1, 1<<23, 7)
		own := plain(1<<40, 1<<40+1)
		now := uint32(0)
		for i := range uint64(burst + arrears/2) {
			now++
			x.Insert(0, plain(1<<50+i), now)
		}
		x.Use(0, own, 0, 0, now)
		x.SetLongestUse(1)
		x.letGo(0, now+10) // as if its end had been missed
		for i := range uint64(2 * arrears) {
			now++
			x.Insert(0, plain(1<<51+i), now)
		}
		lose(x)
		if x.findRun(own.Hash[0]) == 0 || len(x.late) == 0 {
			t.Fatalf("%s: the chain is gone already, or nothing is late", what)
		}
		x.Free(0, own, own.Len(), 0, now+20)
		for len(x.late) > 0 {
			x.catchUp()
		}
		checkTables(t, x)
		depth := make([]int32, 1)
		if x.Match(own.Hash, depth); int(depth[0]) != own.Len() {
			t.Errorf("%s: %d blocks of what was just used are held, want %d", what, depth[0], own.Len())
		}
	}
}
