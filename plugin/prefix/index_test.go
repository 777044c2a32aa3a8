package prefix

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// naive is the index as a list of (hash, stamp) for each endpoint, oldest first, without a byte budget.
type naive struct {
	list     [][]pairOf
	capacity []int
}

type pairOf struct {
	hash  uint64
	stamp uint32
	size  int
}

func (n *naive) held(e int) (bytes int) {
	for _, p := range n.list[e] {
		bytes += p.size
	}
	return bytes
}

func (n *naive) insert(e int, chain []uint64, now uint32) {
	c := sized(chain)
	for i := c.Blocks(n.capacity[e]) - 1; i >= 0; i-- {
		at := slices.IndexFunc(n.list[e], func(p pairOf) bool { return p.hash == chain[i] })
		if at >= 0 {
			n.list[e] = slices.Delete(n.list[e], at, at+1)
		}
		for n.held(e)+c.size(i) > n.capacity[e] {
			n.list[e] = n.list[e][1:]
		}
		n.list[e] = append(n.list[e], pairOf{chain[i], now, c.size(i)})
	}
}

// sized is a chain whose blocks have 1 to 64 bytes each, as their hashes say.
func sized(chain []uint64) *Chain {
	c, end := &Chain{Hash: chain}, uint32(0)
	for _, hash := range chain {
		end += 1 << (hash % 7)
		c.End = append(c.End, end)
	}
	return c
}

// plain is a chain whose blocks count as one byte each.
func plain(hashes ...uint64) *Chain { return &Chain{Hash: hashes} }

func (n *naive) match(e int, chain []uint64) int32 {
	for i, h := range chain {
		if !slices.ContainsFunc(n.list[e], func(p pairOf) bool { return p.hash == h }) {
			return int32(i)
		}
	}
	return int32(len(chain))
}

func (n *naive) expire(e int, since uint32) {
	for len(n.list[e]) > 0 && n.list[e][0].stamp <= since {
		n.list[e] = n.list[e][1:]
	}
}

// forest makes chains that share beginnings, as prompts do.
type forest struct {
	random *rand.Rand
	known  [][]uint64
}

func (f *forest) chain() []uint64 {
	var c []uint64
	if len(f.known) > 0 && f.random.IntN(4) > 0 {
		old := f.known[f.random.IntN(len(f.known))]
		c = slices.Clone(old[:f.random.IntN(len(old)+1)])
	}
	for range 1 + f.random.IntN(12) {
		c = append(c, f.random.Uint64())
	}
	if len(c) > 40 {
		c = c[:40]
	}
	f.known = append(f.known, c)
	return c
}

func TestIndexIsTheNaiveOne(t *testing.T) {
	for seed := range uint64(24) {
		random := rand.New(rand.NewPCG(seed, 1))
		n := 1 + random.IntN(130)
		x := NewIndex(n, 1<<22, seed)
		want := naive{make([][]pairOf, n), make([]int, n)}
		for e := range n {
			want.capacity[e] = 1 + random.IntN(3000)
			x.SetCapacity(e, int64(want.capacity[e]))
		}
		f := forest{random: random}
		depth, last := make([]int32, n), make([][]uint64, n)
		for now := range uint32(1200) {
			e, c := random.IntN(n), f.chain()
			if old := last[e]; old != nil && random.IntN(4) == 0 { // as a response confirms it
				c = old
			}
			last[e] = c
			switch random.IntN(50) {
			case 0:
				x.Drop(e)
				want.list[e] = nil
			case 1:
				since := now - uint32(random.IntN(300))
				if int32(since) < 0 {
					continue
				}
				x.Expire(e, since, unbounded)
				want.expire(e, since)
			default:
				x.Insert(e, sized(c), now)
				want.insert(e, c, now)
			}
			x.Match(c, depth)
			for e := range n {
				if depth[e] != want.match(e, c) || x.Held(e) != int64(want.held(e)) {
					t.Fatalf("seed %d, step %d, endpoint %d: depth %d of %d held; want %d of %d",
						seed, now, e, depth[e], x.Held(e), want.match(e, c), want.held(e))
				}
				at, ok := x.Touched(e, c, int(depth[e]))
				x.reached = 0 // as if nothing had been asked before
				if again, known := x.Touched(e, c, int(depth[e])); at != again || ok != known || ok != (depth[e] > 0) {
					t.Fatalf("seed %d, step %d, endpoint %d: touched at %d (%v), by another walk at %d (%v)", seed, now, e, at, ok, again, known)
				}
			}
		}
		checkTables(t, x)
	}
}

// checkTables holds the counts against the records, every run's holders against the pairs, and every list against both.
func checkTables(t *testing.T, x *Index) {
	t.Helper()
	pairs, firsts, blocks, bitsSet, total := 0, 0, 0, 0, int64(0)
	for e := range x.endpoints {
		held := int64(0)
		for which, q := range []queue{x.lists[e].idle, x.lists[e].used} {
			newer := uint32(0)
			for id := q.newest; id != 0; id = x.pairs.at(id).older {
				p := x.pairs.at(id)
				r := x.runs.at(p.run)
				if p.newer != newer || int(p.endpoint) != e || x.findPair(p.run, e) != id || x.findRun(r.hash[0]) != p.run || p.users > 0 != (which == 1) {
					t.Fatalf("pair %d of endpoint %d is not where it should be: %+v", id, e, p)
				}
				if x.row(p.run)[e>>6]>>(e&63)&1 == 0 {
					t.Fatalf("pair %d of endpoint %d has no bit", id, e)
				}
				if r.count == 0 || r.count > runBlocks {
					t.Fatalf("run %+v", r)
				}
				if r.first == id {
					firsts++
				}
				pairs, blocks, held, newer = pairs+1, blocks+int(r.count), held+r.bytes(), id
			}
			if q.oldest != newer {
				t.Fatalf("endpoint %d: a list ends at %d, not at %d", e, newer, q.oldest)
			}
		}
		if held != x.held[e] || held > x.capacity[e] {
			t.Fatalf("endpoint %d: %d bytes held, %d counted, %d fit", e, held, x.held[e], x.capacity[e])
		}
		total += held
	}
	for id := uint32(1); id < x.runs.made; id++ {
		bitsSet += x.holding(id)
	}
	if pairs != x.byRunRecords+firsts || bitsSet != pairs || blocks != x.blocks {
		t.Errorf("%d pairs of %d blocks on the lists, %d of them found by their runs, %d and %d counted, %d bits",
			pairs, blocks, firsts, x.byRunRecords, x.blocks, bitsSet)
	}
	if got := int(x.pairs.made) - 1 - x.pairs.idle; got != pairs {
		t.Errorf("%d records of pairs, want %d", got, pairs)
	}
	if got := int(x.runs.made) - 1 - x.runs.idle; got != x.byHashRecords {
		t.Errorf("%d records of runs, want %d", got, x.byHashRecords)
	}
}

func TestIndexNeverExceedsItsBudget(t *testing.T) {
	for _, n := range []int{1, 8, 64, 65, 300} {
		const budget = 1 << 18
		x := NewIndex(n, budget, 7)
		f := forest{random: rand.New(rand.NewPCG(uint64(n), 2))}
		depth := make([]int32, n)
		for now := range uint32(20000 / n * 8) {
			e, c := f.random.IntN(n), f.chain()
			x.Insert(e, plain(c...), now)
			if x.Bytes() > budget {
				t.Fatalf("%d endpoints: %d bytes; budget %d", n, x.Bytes(), budget)
			}
			if x.Match(c, depth); int(depth[e]) < len(c) {
				t.Fatalf("%d endpoints, step %d: what was just inserted matches %d of %d", n, now, depth[e], len(c))
			}
		}
		if n <= 64 && float64(x.Bytes())/float64(x.Pairs()) > 64 {
			t.Errorf("%d endpoints: %d blocks in %d bytes; want at most 64 bytes a block", n, x.Pairs(), x.Bytes())
		}
		checkTables(t, x)
	}
}

func TestIndexEvictsTailsBeforeHeads(t *testing.T) {
	x := NewIndex(1, MinIndexBytes, 0)
	x.SetCapacity(0, 10)
	long := []uint64{1, 2, 3, 4, 5, 6, 7, 8}
	x.Insert(0, plain(long...), 1)
	x.Insert(0, plain(11, 12, 13, 14), 2)
	depth := make([]int32, 1)
	if x.Match(long, depth); depth[0] != 6 {
		t.Errorf("two blocks over capacity: the older chain matches %d, want 6", depth[0])
	}
	x.SetCapacity(0, 5)
	if x.Match(long, depth); depth[0] != 1 {
		t.Errorf("at capacity 5: it matches %d, want 1", depth[0])
	}
	x.Insert(0, plain(21, 22, 23, 24, 25, 26, 27), 3)
	if x.Match([]uint64{21, 22, 23, 24, 25, 26, 27}, depth); depth[0] != 5 {
		t.Errorf("a chain of 7 in a cache of 5 matches %d, want 5", depth[0])
	}
}

func TestExpire(t *testing.T) {
	x := NewIndex(2, MinIndexBytes, 0)
	depth := make([]int32, 2)
	old, middle, recent := []uint64{1, 2, 3}, []uint64{4, 5, 6}, []uint64{7, 8}
	x.Insert(0, plain(old...), 10)
	x.Insert(1, plain(old...), 10)
	x.Insert(0, plain(middle...), 20)
	x.Insert(0, plain(recent...), 30)

	since, ok := x.Touched(0, middle, 3)
	if since != 20 || !ok {
		t.Fatalf("block 6 was touched at %d, %v; want 20", since, ok)
	}
	x.Insert(0, plain(middle...), 40) // as the decision does
	x.Expire(0, since, 2)
	x.Insert(0, plain(middle...), 41)
	if x.Match(old, depth); depth[0] != 1 {
		t.Errorf("of what was older, %d blocks are left; want 1, for 2 bytes were gone", depth[0])
	}
	x.Expire(0, since, unbounded)
	if x.Match(old, depth); depth[0] != 0 || depth[1] != 3 {
		t.Errorf("older than what was gone: %v, want [0 3]", depth)
	}
	if x.Match(recent, depth); depth[0] != 2 {
		t.Errorf("newer than what was gone: %d, want 2", depth[0])
	}
	if x.Match(middle, depth); depth[0] != 3 {
		t.Errorf("what was answered: %d, want 3", depth[0])
	}
}

func TestIndexTimesWrapRound(t *testing.T) {
	x := NewIndex(1, MinIndexBytes, 0)
	x.Insert(0, plain(1), ^uint32(5))
	x.Insert(0, plain(2), 10)
	x.Expire(0, 0, unbounded)
	if x.Held(0) != 1 {
		t.Errorf("%d held; want only the one touched after the wrap", x.Held(0))
	}
}

func TestIndexDoesNotAllocate(t *testing.T) {
	x := NewIndex(64, 1<<20, 0)
	f := forest{random: rand.New(rand.NewPCG(1, 1))}
	for now := range uint32(5000) {
		x.Insert(int(now%64), plain(f.chain()...), now)
	}
	depth, c := make([]int32, 64), sized(f.known[7])
	if got := testing.AllocsPerRun(100, func() { x.Match(c.Hash, depth); x.Insert(3, c, 5001); x.Expire(3, 4000, unbounded) }); got != 0 {
		t.Errorf("%v allocations", got)
	}
}
