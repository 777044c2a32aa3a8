package prefix

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// counting is the index as lists of blocks with their users: an idle one goes first.
type counting struct {
	naive
	users []map[uint64]int
}

func (n *counting) evict(e, room int) {
	for n.held(e)+room > n.capacity[e] {
		at := slices.IndexFunc(n.list[e], func(p pairOf) bool { return n.users[e][p.hash] == 0 })
		at = max(at, 0)
		delete(n.users[e], n.list[e][at].hash)
		n.list[e] = slices.Delete(n.list[e], at, at+1)
	}
}

// enter moves the chain to the new end, with so many more users.
func (n *counting) enter(e int, chain []uint64, now uint32, users int) {
	c := sized(chain)
	most := c.Blocks(n.capacity[e])
	for i := range most { // what is entered is not evicted
		n.users[e][chain[i]] += 1000
	}
	for i := most - 1; i >= 0; i-- {
		at := slices.IndexFunc(n.list[e], func(p pairOf) bool { return p.hash == chain[i] })
		if at >= 0 {
			n.list[e] = slices.Delete(n.list[e], at, at+1)
		}
		n.evict(e, c.size(i))
		n.list[e] = append(n.list[e], pairOf{chain[i], now, c.size(i)})
	}
	for i := range most {
		n.users[e][chain[i]] += users - 1000
	}
}

// free takes a user off; what has none any more is the newest.
func (n *counting) free(e int, chain []uint64) {
	for i := len(chain) - 1; i >= 0; i-- {
		at := slices.IndexFunc(n.list[e], func(p pairOf) bool { return p.hash == chain[i] })
		if at < 0 || n.users[e][chain[i]] == 0 {
			continue
		}
		if n.users[e][chain[i]]--; n.users[e][chain[i]] == 0 {
			p := n.list[e][at]
			n.list[e] = append(slices.Delete(n.list[e], at, at+1), p)
		}
	}
}

func (n *counting) withdraw(e int, chain []uint64, first int, at uint32) {
	n.free(e, chain)
	for i := len(chain) - 1; i >= first; i-- {
		k := slices.IndexFunc(n.list[e], func(p pairOf) bool { return p.hash == chain[i] })
		switch {
		case k < 0:
		case n.users[e][chain[i]] > 0 || n.list[e][k].stamp > at:
			return
		default:
			n.list[e] = slices.Delete(n.list[e], k, k+1)
		}
	}
}

// under is a request on its way.
type under struct {
	e       int
	chain   []uint64
	known   int // blocks of the chain that it uses
	matched int
	at      uint32 // when its blocks were entered last
}

func TestUse(t *testing.T) {
	for seed := range uint64(24) {
		random := rand.New(rand.NewPCG(seed, 2))
		n := 1 + random.IntN(70)
		x := NewIndex(n, 1<<22, seed)
		x.KeepUsed(true)
		want := counting{naive: naive{make([][]pairOf, n), make([]int, n)}}
		for e := range n {
			want.users = append(want.users, map[uint64]int{})
			want.capacity[e] = 3000 + random.IntN(9000)
			x.SetCapacity(e, int64(want.capacity[e]))
		}
		f := forest{random: random}
		depth := make([]int32, n)
		var open []under
		passed := 0
		for now := range uint32(1500) {
			c := f.chain()
			switch {
			case len(open) > 0 && random.IntN(2) == 0 || len(open) > 3*n:
				i := random.IntN(len(open))
				u := open[i]
				open = slices.Delete(open, i, i+1)
				whole := sized(u.chain)
				if c = u.chain; random.IntN(8) == 0 {
					whole.Cut(u.known)
					kept := min(u.matched, u.known)
					kept += random.IntN(u.known - kept + 1)
					x.Withdraw(u.e, whole, kept, u.at)
					want.withdraw(u.e, u.chain[:u.known], kept, u.at)
				} else {
					x.Free(u.e, whole, u.known, u.at, now)
					want.free(u.e, u.chain[:u.known])
					want.enter(u.e, u.chain, now, 0)
				}
			case len(open) > 0 && random.IntN(8) == 0: // more of the prompt comes
				u := &open[random.IntN(len(open))]
				c = u.chain
				x.Use(u.e, sized(c), u.known, u.at, now)
				want.free(u.e, c[:u.known])
				want.enter(u.e, c, now, 1)
				u.known, u.at = len(c), now
			default:
				e := random.IntN(n)
				using := 0
				for _, p := range want.list[e] {
					if want.users[e][p.hash] > 0 {
						using += p.size
					}
				}
				if using > want.capacity[e]/2 { // else some would be evicted in use
					x.Insert(e, sized(c), now)
					want.enter(e, c, now, 0)
					continue
				}
				u := under{e: e, chain: c, known: 1 + random.IntN(len(c)), matched: int(want.match(e, c)), at: now}
				x.Use(e, sized(c[:u.known]), 0, 0, now)
				want.enter(e, c[:u.known], now, 1)
				open = append(open, u)
			}
			x.Match(c, depth)
			for e := range n {
				if depth[e] != want.match(e, c) || x.Held(e) != int64(want.held(e)) {
					t.Fatalf("seed %d, step %d, endpoint %d: depth %d of %d held; want %d of %d",
						seed, now, e, depth[e], x.Held(e), want.match(e, c), want.held(e))
				}
				if len(want.list[e]) > 0 && want.users[e][want.list[e][0].hash] > 0 {
					passed++
				}
			}
		}
		checkTables(t, x)
		for _, u := range open {
			x.Free(u.e, sized(u.chain), u.known, u.at, 1500)
		}
		for e := range n {
			if x.lists[e].used != (queue{}) {
				t.Errorf("seed %d, endpoint %d: %+v is in use when all requests have ended", seed, e, x.lists[e].used)
			}
		}
		if passed == 0 {
			t.Errorf("seed %d: the oldest was never in use", seed)
		}
	}
}

// Ends that are missed, come twice or of prompts that nobody sent, caches that are smaller than what is in use, and endpoints that restart:
// counts may be wrong then, but no table, and what seems to be held begins with a chain's first block.
func TestUseWithWrongEnds(t *testing.T) {
	for seed := range uint64(24) {
		random := rand.New(rand.NewPCG(seed, 3))
		n := 1 + random.IntN(9)
		x := NewIndex(n, 1<<20, seed)
		x.KeepUsed(seed%2 == 0)
		x.SetLongestUse(200)
		f := forest{random: random}
		depth := make([]int32, n)
		for now := range uint32(3000) {
			e, c := random.IntN(n), f.chain()
			if len(f.known) > 50 {
				f.known = slices.Delete(f.known, 0, 1)
			}
			first := random.IntN(len(c) + 1)
			switch random.IntN(12) {
			case 0, 1, 2, 3, 4:
				x.Use(e, sized(c), min(first, random.IntN(9)), now-uint32(random.IntN(99)), now)
			case 5, 6, 7:
				x.Free(e, sized(c), first, now-uint32(random.IntN(99)), now)
			case 8:
				x.Withdraw(e, sized(c), first, now-uint32(random.IntN(9)))
			case 9:
				x.SetCapacity(e, int64(100+random.IntN(2000)))
			case 10:
				if random.IntN(9) == 0 {
					x.Drop(e)
				}
			case 11:
				x.Expire(e, now-uint32(random.IntN(99)), int64(random.IntN(500)))
			}
			levels := x.Match(c, depth)
			for e := range n {
				at, run := 0, uint32(0)
				for at < len(c) {
					if run = x.findNext(run, c[at]); run == 0 || !x.holds(run, e) {
						break
					}
					at += x.runs.at(run).common(c[at:])
				}
				if int(depth[e]) != at {
					t.Fatalf("seed %d, step %d: endpoint %d holds %d blocks of the chain, %d without a gap", seed, now, e, depth[e], at)
				}
			}
			for i, l := range levels {
				if l.Holders < 1 || i > 0 && l.Blocks <= levels[i-1].Blocks {
					t.Fatalf("seed %d, step %d: levels %v", seed, now, levels)
				}
			}
		}
		if x.catchUp(); len(x.late) == 0 {
			checkTables(t, x)
		}
		for now := range uint32(3000) { // whatever is left in use is let go of
			for e := range n {
				x.Free(e, plain(1), 0, 0, 3300+now)
			}
		}
		for e := range n {
			if x.lists[e].used != (queue{}) {
				t.Errorf("seed %d, endpoint %d: %+v is still in use", seed, e, x.lists[e].used)
			}
		}
	}
}

// A request's own blocks are not evicted by those that come while it is on its way, nor is a beginning that it shares with one that has
// ended; where all is in use, the oldest goes.
func TestNothingInUseIsEvicted(t *testing.T) {
	x := NewIndex(1, MinIndexBytes, 0)
	x.KeepUsed(true)
	x.SetCapacity(0, 8)
	depth := make([]int32, 1)
	long, other := []uint64{1, 2, 3, 4}, []uint64{1, 2, 5}
	x.Use(0, plain(long...), 0, 0, 1)
	x.Use(0, plain(other...), 0, 0, 2)
	x.Free(0, plain(other...), 3, 2, 3)
	x.Insert(0, plain(11, 12, 13, 14), 4)
	if x.Match(long, depth); depth[0] != 4 {
		t.Errorf("of what is in use %d blocks are held, want 4", depth[0])
	}
	if x.Match(other, depth); depth[0] != 2 {
		t.Errorf("of what has ended %d blocks are held, want the 2 that another uses", depth[0])
	}
	x.Use(0, plain(21, 22, 23, 24, 25, 26), 0, 0, 5)
	if x.Match(long, depth); depth[0] != 2 {
		t.Errorf("all is in use: %d blocks of the oldest are held, want 2", depth[0])
	}
	x.Free(0, plain(long...), 4, 1, 6)
	if x.Match(long, depth); depth[0] != 4 {
		t.Errorf("it has ended: %d blocks are held, want 4", depth[0])
	}
	checkTables(t, x)
}
