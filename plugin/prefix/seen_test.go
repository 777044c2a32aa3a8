package prefix

import "testing"

func TestSeen(t *testing.T) {
	x := NewIndex(2, 1<<20, 7)
	h := func(n uint64) uint64 { return n * golden }
	said := []uint64{h(1), h(2), h(3)}
	if got := x.Seen(said); got != 0 {
		t.Errorf("%d blocks of what never came", got)
	}
	for _, hash := range []uint64{1, 1 << 48, 2 << 48} { // of the tags 1 and 3
		if got, again := x.Seen([]uint64{hash}), x.SeenAgain([]uint64{hash}); got != 0 || again != 0 {
			t.Errorf("block %x is seen in an empty place: %d, %d", hash, got, again)
		}
		if x.see([]uint64{hash}, 0, 1); x.Seen([]uint64{hash}) != 1 || x.SeenAgain([]uint64{hash}) != 0 {
			t.Errorf("block %x, entered once, is not", hash)
		}
		if x.see([]uint64{hash}, 0, 1); x.SeenAgain([]uint64{hash}) != 1 {
			t.Errorf("block %x, entered twice, is not", hash)
		}
		*x.place(hash) = mark{}
	}
	x.Insert(1, plain(said...), 1)
	more := append(append([]uint64{}, said...), h(4))
	if got := x.Seen(more); got != 3 {
		t.Errorf("%d blocks, not the three that came", got)
	}
	if x.Drop(1); x.Seen(more) != 3 {
		t.Errorf("%d blocks once nobody holds them, not 3", x.Seen(more))
	}
	for n := uint64(10); n < 200_000; n++ {
		x.see([]uint64{h(n)}, 0, 1) // as many new ones as make it forget
	}
	if got := x.Seen(said); got != 0 {
		t.Errorf("%d blocks that came long ago", got)
	}
}

// What was entered again counts from then on, also where the clock's milliseconds begin anew.
func TestSeenSince(t *testing.T) {
	for _, start := range []uint32{0, 1 << 24, 1<<32 - 5000} {
		x := NewIndex(2, 1<<20, 7)
		h := func(n uint64) uint64 { return n * golden }
		long := []uint64{h(1), h(2), h(3), h(4)}
		x.Insert(0, plain(long...), start)
		x.Insert(1, plain(long[:2]...), start+10_000)
		for _, c := range []struct {
			since uint32
			want  int
		}{{0, 4}, {5_000, 2}, {10_000, 2}, {11_000, 0}} {
			if got := x.SeenSince(long, start+c.since); got != c.want {
				t.Errorf("from %d on: of four blocks %d were used since %d, want %d", start, got, c.since, c.want)
			}
		}
	}
}

// Only a second request counts: not one of which more becomes known, that ends, or whose response confirms what it entered.
func TestSeenAgain(t *testing.T) {
	x := NewIndex(2, 1<<20, 7)
	h := func(n uint64) uint64 { return n * golden }
	first, second := plain(h(1), h(2), h(3), h(4)), plain(h(1), h(2), h(9))
	again := func(want int, when string) {
		t.Helper()
		if got := x.SeenAgain(first.Hash); got != want {
			t.Errorf("%s: %d blocks were entered again, want %d", when, got, want)
		}
	}
	x.Use(0, plain(first.Hash[:3]...), 0, 0, 1000)
	x.Use(0, first, 3, 1000, 1500)
	again(0, "sent in two parts")
	x.Insert(0, first, 1800)
	again(0, "confirmed")
	x.Use(1, second, 0, 0, 2000)
	again(2, "another begins like it")
	x.Free(0, first, 4, 1500, 3000)
	again(2, "ended")
	if got := x.Seen(first.Hash); got != 4 {
		t.Errorf("%d of its blocks have come, want 4", got)
	}
	x.Use(0, first, 0, 0, 4000)
	again(4, "the same prompt")
}

// What others have entered since at the place of a block says nothing of it.
func TestSeenSinceAmongOthers(t *testing.T) {
	x := NewIndex(2, 1<<20, 7)
	long := make([]uint64, 40)
	for i := range long {
		long[i] = uint64(i+1) * golden
	}
	x.Insert(0, plain(long...), 1000)
	for i := range long { // another block in every second place
		if i%2 == 0 {
			*x.place(long[i]) = mark{tag: markTag(long[i]) ^ 2, used: 60_000 >> markShift}
		}
	}
	if got := x.SeenSince(long, 30_000); got != 0 {
		t.Errorf("%d blocks of what was used before", got)
	}
	if got := x.SeenSince(long, 0); got != 40 {
		t.Errorf("%d blocks, want all 40, of which the last is in its place", got)
	}
}
