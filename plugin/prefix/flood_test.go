package prefix

import "testing"

// TestCraftedKeysSpread: keys that fall into one bucket of an index whose secret is known fall apart in every other, and
// where they do not, no search looks at more than longest of them.
func TestCraftedKeysSpread(t *testing.T) {
	open := NewIndex(1, 1<<22, 0)
	var crafted []uint64
	for key := uint64(1); len(crafted) < 300; key++ {
		if open.spread(key)&0xFFF == 7 {
			crafted = append(crafted, key)
		}
	}
	depth := make([]int32, 1)
	for secret, most := range map[uint64]int{0: 300, 1: 8, 0x1234567890abcdef: 8, ^uint64(0): 8} {
		x := NewIndex(1, 1<<22, secret)
		for key := range uint64(4000) { // for many buckets
			x.Insert(0, plain(key<<40|1), 1)
		}
		for i, key := range crafted {
			x.Insert(0, plain(key), uint32(i))
		}
		found := 0
		for _, key := range crafted {
			if x.Match([]uint64{key}, depth); depth[0] == 1 {
				found++
			}
		}
		same := 0
		for id := x.byHash.first(x.spread(crafted[0])); id != 0; id = x.runs.at(id).next {
			same++
		}
		if same > most || secret != 0 && found != len(crafted) {
			t.Errorf("secret %x: %d of %d found, %d in one bucket; want at most %d there", secret, found, len(crafted), same, most)
		}
	}
}

// TestOneCallEvictsABoundedNumber: what an endpoint with many runs loses at once goes over the calls that follow.
func TestOneCallEvictsABoundedNumber(t *testing.T) {
	x := NewIndex(2, 1<<24, 3)
	for key := range uint64(3 * burst) {
		x.Insert(0, plain(key+1), uint32(key))
	}
	for name, forget := range map[string]func(){
		"expire": func() { x.Expire(0, 2*burst, unbounded) }, "drop": func() { x.Drop(0) }, "capacity": func() { x.SetCapacity(0, 10) },
	} {
		before := x.Pairs()
		if forget(); before-x.Pairs() > burst {
			t.Errorf("%s: %d pairs went in one call, at most %d may", name, before-x.Pairs(), burst)
		}
	}
	for key := range uint64(3 * burst / arrears) {
		x.Insert(1, plain(1<<40+key), 1<<20)
	}
	if x.Held(0) != 0 {
		t.Errorf("%d blocks are left after the calls that followed, want none", x.Held(0))
	}
	checkTables(t, x)
}

func TestRepeatedOverflowKeepsTheTablesRight(t *testing.T) {
	x := NewIndex(3, MinIndexBytes, 5)
	for key := range uint64(20_000) {
		chain := sized([]uint64{key/21 + 1, key/3 + 1e6, key + 1e7, key + 2e7})
		x.Insert(int(key%3), chain, uint32(key))
		if key%1000 == 0 {
			x.Drop(int(key / 1000 % 3))
		}
	}
	checkTables(t, x)
}
