package prefix

import "testing"

// What an endpoint has evicted is remembered as long as others hold it, until it is there again.
func TestEvicted(t *testing.T) {
	x, now := NewIndex(2, 1<<20, 1), uint32(0)
	insert := func(endpoint int, c *Chain) {
		now++
		x.Insert(endpoint, c, now)
	}
	a, alone := plain(1, 2, 3, 4), plain(11, 12, 13, 14)
	x.SetCapacity(0, 10) // two, and not three
	x.SetCapacity(1, 1000)
	insert(1, a)
	insert(0, a)
	insert(0, alone)
	expect := func(when string, c *Chain, at0, at1 bool) {
		t.Helper()
		if x.Evicted(0, c.Hash, 0) != at0 || x.Evicted(1, c.Hash, 0) != at1 {
			t.Errorf("%s: evicted at endpoint 0 %v, at 1 %v", when, x.Evicted(0, c.Hash, 0), x.Evicted(1, c.Hash, 0))
		}
	}
	expect("all is held", a, false, false)
	insert(0, plain(21, 22, 23, 24))
	if !x.Evicted(0, a.Hash, 2) || x.Evicted(0, a.Hash, 1) {
		t.Error("a part is evicted, from its end")
	}
	insert(0, plain(31, 32, 33, 34))
	insert(0, plain(41, 42, 43, 44))
	expect("others have come", a, true, false)
	expect("nobody holds it", alone, false, false)
	insert(0, a)
	expect("it is there again", a, false, false)
}
