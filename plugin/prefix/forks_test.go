package prefix

import "testing"

func TestShared(t *testing.T) {
	x := NewIndex(2, 1<<20, 7)
	h := func(n uint64) uint64 { return n * golden }
	depth := make([]int32, 2)
	now := uint32(0)
	send := func(endpoint int, blocks ...uint64) {
		now++
		x.Insert(endpoint, plain(blocks...), now)
	}
	shared := func(blocks ...uint64) int {
		x.Match(plain(blocks...).Hash, depth)
		return x.Shared()
	}
	system := []uint64{h(1), h(2), h(3)}
	say := func(blocks ...uint64) []uint64 { return append(append([]uint64{}, system...), blocks...) }

	send(0, say(h(10))...)
	send(0, say(h(10), h(11))...)
	send(1, say(h(10), h(11), h(12))...)
	if got := shared(say(h(10), h(11), h(12))...); got != 0 {
		t.Errorf("one conversation that grows: %d blocks are shared", got)
	}
	send(1, say(h(20))...)
	if got := shared(say(h(20))...); got != 0 {
		t.Errorf("a second one, which may be the first in other words: %d blocks are shared", got)
	}
	send(0, say(h(30))...)
	for _, own := range []uint64{10, 20, 30, 40} {
		if got := shared(say(h(own), h(99))...); got != len(system) {
			t.Errorf("three conversations, seen from that of %d: %d blocks are shared, not %d", own, got, len(system))
		}
	}
	if got := shared(h(1), h(2)); got != 0 {
		t.Errorf("a prompt that ends before the fork: %d blocks are shared", got)
	}

	// A second conversation is told from the first at once, but not one from its own beginning.
	x = NewIndex(2, 1<<20, 7)
	parted := func(blocks ...uint64) int {
		x.Match(plain(blocks...).Hash, depth)
		return x.Parted()
	}
	send(0, say(h(10), h(11))...)
	for _, c := range []struct {
		blocks []uint64
		want   int
	}{
		{say(h(10), h(11)), 0}, {say(h(10), h(11), h(12)), 0}, {say(h(10)), 0}, {say(h(20)), len(system)}, {say(h(10), h(21)), len(system) + 1}, {[]uint64{h(9)}, 0},
	} {
		if got := parted(c.blocks...); got != c.want {
			t.Errorf("after one conversation %d blocks of %x are parted, want %d", got, c.blocks, c.want)
		}
	}
	send(1, say(h(20))...)
	for _, own := range []uint64{10, 20, 30} {
		if got := parted(say(h(own), h(99))...); got < len(system) {
			t.Errorf("two conversations, seen from that of %d: %d blocks are parted, not %d", own, got, len(system))
		}
	}

	// What is evicted and sent again forks nothing.
	x = NewIndex(2, 1<<20, 7)
	for range 5 {
		send(0, say(h(10))...)
		send(0, say(h(10), h(11))...)
		x.Expire(0, now, 1)
	}
	if got := shared(say(h(10), h(11))...); got != 0 {
		t.Errorf("an end that is sent again and again: %d blocks are shared", got)
	}
}
