package prefix

import "testing"

// A chain that repeats a hash cannot come from a prompt, but from a peer: it must not tie an endpoint's list into a ring.
func TestRepeatedBlocks(t *testing.T) {
	x := NewIndex(2, MinIndexBytes, 1)
	hashes := make([]uint64, 64)
	for i := range hashes {
		hashes[i] = 7 + uint64(i/40)
	}
	for now := range uint32(8) {
		x.Insert(0, plain(hashes...), now)
		x.Insert(1, plain(append([]uint64{7, 9}, hashes...)...), now)
		x.Insert(0, plain(hashes[38:]...), now)
	}
	for e := range 2 {
		x.SetCapacity(e, 5)
		inList(t, x, e)
		x.Drop(e)
		inList(t, x, e)
		if held := x.Held(e); held != 0 {
			t.Errorf("endpoint %d holds %d bytes after Drop", e, held)
		}
	}
	if x.Pairs() != 0 {
		t.Errorf("%d pairs are left", x.Pairs())
	}
}

// inList follows an endpoint's lists from both ends.
func inList(t *testing.T, x *Index, e int) {
	t.Helper()
	for _, q := range []queue{x.lists[e].idle, x.lists[e].used} {
		n, m := 0, 0
		for id := q.oldest; id != 0 && n < 10000; id = x.pairs.at(id).newer {
			n++
		}
		for id := q.newest; id != 0 && m < 10000; id = x.pairs.at(id).older {
			m++
		}
		if n != m || n == 10000 {
			t.Fatalf("a list of endpoint %d has %d pairs from its old end, %d from its new one", e, n, m)
		}
	}
}

// What other workers and gateways report comes late: the newest of a list may have the oldest stamp, and all of it is to go.
func TestDropAfterLateReport(t *testing.T) {
	x := NewIndex(1, MinIndexBytes, 1)
	x.Insert(0, plain(1, 2), 1000)
	x.Insert(0, plain(3, 4), 2000)
	x.Insert(0, plain(5, 6), 900)
	x.Drop(0)
	if held := x.Held(0); held != 0 {
		t.Errorf("%d bytes are held after Drop", held)
	}
}

// A quiet endpoint keeps blocks for weeks. When it restarts or leaves, they go as all others do; and those that a response proves to be
// gone, whenever they were used.
func TestBlocksOfLongAgoAreDropped(t *testing.T) {
	const day = 24 * 3600 * 1000
	for _, days := range []uint32{1, 20, 25, 30, 37} {
		for _, first := range []uint32{0, 1 << 31, ^uint32(5)} {
			x := NewIndex(1, MinIndexBytes, 1)
			x.Insert(0, plain(1, 2), first)
			x.Insert(0, plain(3, 4), first+days*day)
			x.Expire(0, first, unbounded)
			if held := x.Held(0); held != 2 {
				t.Errorf("%d days apart, from %d on: %d bytes are held when the older blocks have expired, want 2", days, first, held)
			}
			x.Insert(0, plain(1, 2), first+days*day+1)
			x.Insert(0, plain(5, 6), first+2*days*day)
			x.Drop(0)
			if held := x.Held(0); held != 0 {
				t.Errorf("%d days apart, from %d on: %d bytes are held after Drop", days, first, held)
			}
		}
	}
}
