package prefix

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// use sets an arena of that many bytes for one test.
func use(t *testing.T, bytes int) (memory []byte) {
	t.Helper()
	memory = make([]byte, bytes)
	SetArena(memory, 1<<30)
	t.Cleanup(func() { SetArena(nil, 0) })
	return memory
}

// fill gives an index a few prompts, which are returned.
func fill(x *Index, seed uint64) (prompts [][]uint64) {
	f := forest{random: rand.New(rand.NewPCG(seed, 2))}
	for now := range uint32(400) {
		x.Insert(int(now)%x.Endpoints(), sized(f.chain()), now)
	}
	return f.known
}

// matches is what an index says of prompts.
func matches(x *Index, prompts [][]uint64) (depths []int32) {
	depth := make([]int32, x.Endpoints())
	for _, c := range prompts {
		x.Match(c, depth)
		depths = append(depths, depth...)
	}
	return depths
}

// TestArena: an index is the same in an arena, beyond its end, and where another one was before; what is released is used again.
func TestArena(t *testing.T) {
	const n, budget, bytes = 70, 1 << 20, 1 << 19
	heap := NewIndex(n, budget, 5)
	prompts := fill(heap, 5)
	want := matches(heap, prompts)
	is := func(what string, x *Index) {
		t.Helper()
		if !slices.Equal(matches(x, prompts), want) {
			t.Errorf("an index %s says something else than one in the heap", what)
		}
	}
	memory := use(t, bytes)
	first := NewIndex(n, budget, 5)
	fill(first, 5)
	is("in an arena", first)
	at, from := uintptr(unsafe.Pointer(unsafe.SliceData(first.runs.piece[0]))), uintptr(unsafe.Pointer(&memory[0]))
	if at < from || at >= from+bytes || outside.used < bytes/8 {
		t.Errorf("the first piece is not in the arena, or others are not: %d bytes of it are used", outside.used)
	}
	second := NewIndex(n, budget, 5)
	fill(second, 5)
	for seed := range uint64(3) { // beyond its end
		x := NewIndex(n, budget, seed)
		fill(x, seed)
	}
	first.Release()
	full := outside.used
	third := NewIndex(n, budget, 5)
	fill(third, 5)
	is("where another one was", third)
	is("beside it", second)
	if outside.used != full {
		t.Errorf("%d more bytes were taken, though as many were released", outside.used-full)
	}
	beyond := NewIndex(n, budget, 5)
	fill(beyond, 5)
	is("beyond the arena", beyond)
	if at := uintptr(unsafe.Pointer(unsafe.SliceData(beyond.runs.piece[0]))); at >= from && at < from+bytes {
		t.Error("the arena is larger than it is")
	}
}

// TestReleased: an index that was released takes every call and holds nothing.
func TestReleased(t *testing.T) {
	use(t, 1<<18)
	x := NewIndex(9, 1<<18, 1)
	fill(x, 1)
	x.SetCapacity(3, 100)
	x.Release()
	x.Release()
	prompts := fill(x, 2)
	x.Drop(1)
	x.Expire(2, 9, unbounded)
	x.SetCapacity(3, 50)
	x.Withdraw(4, plain(1, 2), 0, 7)
	x.Use(4, plain(1, 2), 0, 0, 8)
	x.Free(4, plain(1, 2), 2, 8, 9)
	x.Grow(80)
	if _, known := x.Touched(80-1, []uint64{1}, 1); known || x.Pairs() != 0 || x.Endpoints() != 80 {
		t.Errorf("it holds %d pairs of %d endpoints", x.Pairs(), x.Endpoints())
	}
	if slices.Max(matches(x, prompts)) > 0 {
		t.Error("it holds blocks")
	}
}

// TestIndexesHaveABoundInCommon: however many there are, and whoever filled first, together they take no more than they may, and each
// has a little.
func TestIndexesHaveABoundInCommon(t *testing.T) {
	const most = 64 << 20
	grow := func(x *Index, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 3))
		hashes := make([]uint64, 64)
		for now := range uint32(6000) {
			for i := range hashes {
				hashes[i] = random.Uint64()
			}
			x.Insert(int(now)%x.Endpoints(), sized(hashes), now)
		}
	}
	for _, n := range []int{1, 3, 24, 60} {
		SetArena(make([]byte, 1<<20), most)
		t.Cleanup(func() { SetArena(nil, 0) })
		var all []*Index
		sum := 0
		for seed := range n {
			all = append(all, NewIndex(4, 1<<30, uint64(seed)))
			grow(all[seed], uint64(seed))
			sum += all[seed].taken
		}
		if sum > most || n > 8 && sum < most/4*3 {
			t.Errorf("%d indexes take %d bytes of %d", n, sum, most)
		}
		for i, x := range all {
			if x.taken < most/256*3/4 {
				t.Errorf("of %d indexes that with number %d has %d bytes", n, i, x.taken)
			}
			x.Release()
		}
		if outside.taken != 0 {
			t.Errorf("%d indexes are released, and %d bytes are said to be taken", n, outside.taken)
		}
	}
}
