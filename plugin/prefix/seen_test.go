package prefix

import "testing"

func TestSeen(t *testing.T) {
	x := NewIndex(2, 1<<20, 7)
	h := func(n uint64) uint64 { return n * golden }
	said := []uint64{h(1), h(2), h(3)}
	if got := x.Seen(said); got != 0 {
		t.Errorf("%d blocks of what never came", got)
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
		*x.place(h(n)) = tag(h(n)) // as many new ones as make it forget
	}
	if got := x.Seen(said); got != 0 {
		t.Errorf("%d blocks that came long ago", got)
	}
}
