package prefix

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// More is in use than fits, as at an endpoint with a queue, and each request ends once: then nothing is in use, no block is held twice, and
// what a request uses is never in use without what stands before it.
func TestMoreInUseThanFits(t *testing.T) {
	for _, fits := range []int{400, 1000, 3000} {
		for seed := range uint64(40) {
			random := rand.New(rand.NewPCG(seed, 9))
			x := NewIndex(1, 1<<22, seed)
			x.KeepUsed(seed%4 > 0)
			x.SetCapacity(0, int64(fits))
			f := forest{random: random}
			var open []under
			for now := range uint32(2000) {
				if len(f.known) > 60 {
					f.known = slices.Delete(f.known, 0, 1)
				}
				if len(open) > 0 && (random.IntN(2) == 0 || len(open) > 25) {
					i := random.IntN(len(open))
					x.Free(0, sized(open[i].chain), len(open[i].chain), open[i].at, now)
					open = slices.Delete(open, i, i+1)
				} else {
					c := f.chain()
					x.Use(0, sized(c), 0, 0, now)
					open = append(open, under{chain: c, at: now})
				}
				if x.catchUp(); len(x.late) == 0 && now%10 == 0 {
					checkTables(t, x)
				}
			}
			for _, u := range open {
				x.Free(0, sized(u.chain), len(u.chain), u.at, 2000)
			}
			if x.lists[0].used != (queue{}) {
				t.Fatalf("%d fit, seed %d: %+v is in use when all have ended", fits, seed, x.lists[0].used)
			}
			held := map[uint64]bool{}
			for id := x.lists[0].idle.oldest; id != 0; id = x.pairs.at(id).newer {
				r := x.runs.at(x.pairs.at(id).run)
				for _, hash := range r.hash[:r.count] {
					if held[hash] {
						t.Fatalf("%d fit, seed %d: a block is held twice", fits, seed)
					}
					held[hash] = true
				}
			}
		}
	}
}

// Where what is in use is not kept, the oldest goes, whether or not it is in use.
func TestUsedIsNotKept(t *testing.T) {
	x := NewIndex(1, MinIndexBytes, 0)
	x.SetCapacity(0, 8)
	depth := make([]int32, 1)
	x.Use(0, plain(1, 2, 3), 0, 0, 1)
	x.Insert(0, plain(4, 5, 6), 2)
	x.Use(0, plain(7, 8), 0, 0, 3)
	for i, want := range []int32{0, 0, 2} {
		x.Insert(0, plain(uint64(11+3*i), uint64(12+3*i), uint64(13+3*i)), uint32(4+i))
		if x.Match([]uint64{7, 8}, depth); i == 1 && depth[0] != 2 {
			t.Error("what was sent last is gone")
		}
		if x.Match([][]uint64{{1, 2, 3}, {4, 5, 6}, {14, 15}}[i], depth); depth[0] != want {
			t.Errorf("step %d: %d blocks are held, want %d", i, depth[0], want)
		}
		checkTables(t, x)
	}
}

// The end of a request of which some was evicted in use takes nothing off one that came since.
func TestEvictedInUse(t *testing.T) {
	x := NewIndex(1, MinIndexBytes, 0)
	x.KeepUsed(true)
	x.SetCapacity(0, 40)
	chain := func(from uint64) *Chain {
		c := plain(1, 2, 3, 4, 5, 6, 7, 8)
		for i := range uint64(8) {
			c.Hash = append(c.Hash, from+i)
		}
		return c
	}
	a, b, large := chain(100), chain(200), plain()
	for i := range uint64(40) {
		large.Hash = append(large.Hash, 500+i)
	}
	x.Use(0, a, 0, 0, 1)
	x.Use(0, large, 0, 0, 2) // evicts a
	x.Free(0, large, 40, 2, 3)
	x.Use(0, b, 0, 0, 4)
	x.Free(0, a, 16, 1, 5)
	for i := range uint64(60) {
		x.Insert(0, plain(1000+i), 6)
	}
	depth := make([]int32, 1)
	if x.Match(b.Hash, depth); depth[0] != 16 {
		t.Errorf("%d blocks of what is in use are held, want 16", depth[0])
	}
	if x.Free(0, b, 16, 4, 7); x.lists[0].used != (queue{}) {
		t.Errorf("%+v is in use when all have ended", x.lists[0].used)
	}
	checkTables(t, x)
}

// The end of a request that nobody was told of may take another's count of what both begin with. Then that may go before what follows it,
// which is not matched any more; and when the other has ended, nothing is in use.
func TestMissedSend(t *testing.T) {
	x := NewIndex(1, MinIndexBytes, 0)
	x.KeepUsed(true)
	x.SetCapacity(0, 30)
	b := plain(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
	x.Use(0, b, 0, 0, 1)
	x.Free(0, plain(1, 2, 3, 4, 5, 6, 7, 8, 99), 9, 2, 2)
	for i := range uint64(30) {
		x.Insert(0, plain(1000+i), 3)
	}
	depth := make([]int32, 1)
	if x.Match(b.Hash, depth); depth[0] != 0 {
		t.Errorf("%d blocks are matched, though the first is gone", depth[0])
	}
	x.Free(0, b, 16, 1, 4)
	if x.Match(b.Hash, depth); depth[0] != 16 || x.lists[0].used != (queue{}) {
		t.Errorf("it has ended: %d blocks are matched, in use is %+v", depth[0], x.lists[0].used)
	}
}

// What an endpoint held when it restarted is in use by nobody, however much that was.
func TestDropOfWhatIsInUse(t *testing.T) {
	x := NewIndex(1, 1<<24, 0)
	for i := range uint64(9000) {
		x.Insert(0, plain(10+i), 1)
	}
	x.Use(0, plain(1, 2), 0, 0, 2)
	x.Drop(0)
	x.Free(0, plain(1, 2), 2, 2, 3)
	for i := range uint64(60) {
		x.Insert(0, plain(100_000+i), 4)
	}
	if l := &x.lists[0]; l.used != (queue{}) || x.Held(0) != 62 {
		t.Errorf("%+v is in use, %d blocks are held, want 62", l.used, x.Held(0))
	}
}

// While a clock that was set back is behind, what was sent just now is not in use for too long.
func TestUseAfterClockSetBack(t *testing.T) {
	x := NewIndex(1, MinIndexBytes, 0)
	x.KeepUsed(true)
	x.SetCapacity(0, 20)
	x.SetLongestUse(10_000)
	x.Insert(0, plain(7), 100_000)
	a := plain(1, 2, 3, 4, 5, 6, 7, 8)
	x.Use(0, a, 0, 0, 40_000)
	x.Use(0, plain(50, 51), 0, 0, 40_001)
	for i := range uint64(30) {
		x.Insert(0, plain(1000+i), 40_002)
	}
	depth := make([]int32, 1)
	if x.Match(a.Hash, depth); depth[0] != 8 {
		t.Errorf("2 ms after it was sent %d of 8 blocks are held", depth[0])
	}
}

func TestUseDoesNotAllocate(t *testing.T) {
	x := NewIndex(4, 1<<22, 0)
	c, d := plain(), plain()
	for i := range uint64(100) {
		c.Hash, d.Hash = append(c.Hash, i), append(d.Hash, i+i/50*1000)
	}
	depth, now := make([]int32, 4), uint32(0)
	if got := testing.AllocsPerRun(100, func() {
		now++
		x.Use(0, c, 0, 0, now)
		x.Use(0, d, 0, 0, now)
		x.Match(c.Hash, depth)
		x.Free(0, c, 100, now, now)
		x.Withdraw(0, d, 50, now)
	}); got != 0 {
		t.Errorf("%v allocations", got)
	}
}
