package ring

import (
	"math"
	"math/rand"
	"slices"
	"sort"
	"testing"
)

func order(r *Ring, key uint64) []int { return orderBy(r, key, nil) }

func TestWalkGivesEachMemberOnce(t *testing.T) {
	for _, n := range []int{1, 2, 3, 17, 64} {
		for _, vnodes := range []int{1, 3, 256} {
			r := build(n, vnodes)
			for _, key := range []uint64{0, 1, math.MaxUint64, 1 << 63, 0x123456789abcdef0} {
				got := order(r, key)
				slices.Sort(got)
				want := make([]int, n)
				for i := range want {
					want[i] = i
				}
				if !slices.Equal(got, want) {
					t.Errorf("%d members, %d vnodes, key %#x: walk gave %v", n, vnodes, key, got)
				}
			}
		}
	}
}

// The walk is that of a linear search round the circle, at, before and behind
// every point: the first, the last and the wrap are where rings go wrong.
func TestWalkIsInRingOrder(t *testing.T) {
	r := build(5, 7)
	for _, point := range slices.Clone(r.hash) {
		for _, key := range []uint64{point - 1, point, point + 1} {
			var want []int
			for _, pass := range []bool{true, false} { // points from the key on, then the others
				for i, hash := range r.hash {
					if m := int(r.owner[i]); (hash >= key) == pass && !slices.Contains(want, m) {
						want = append(want, m)
					}
				}
			}
			if got := order(r, key); !slices.Equal(got, want) {
				t.Fatalf("key %#x: walk %v, want %v", key, got, want)
			}
		}
	}
	last := len(r.hash) - 1
	if got, want := order(r, r.hash[last])[0], int(r.owner[last]); got != want {
		t.Errorf("the key at the last point belongs to %d, want %d", got, want)
	}
	if got, want := order(r, r.hash[last]+1)[0], int(r.owner[0]); got != want {
		t.Errorf("the key behind the last point belongs to %d, want %d", got, want)
	}
}

// Taking a member out of the ring takes it out of every walk and changes nothing else.
func TestRemovalKeepsTheOrderOfTheOthers(t *testing.T) {
	r := build(12, 32)
	random := rand.New(rand.NewSource(4))
	keys := make([]uint64, 200)
	var before [][]int
	for i := range keys {
		keys[i] = random.Uint64()
		before = append(before, order(r, keys[i]))
	}
	r.Remove(3)
	for i, key := range keys {
		want := slices.DeleteFunc(before[i], func(m int) bool { return m == 3 })
		if got := order(r, key); !slices.Equal(got, want) {
			t.Fatalf("key %#x: walk %v, want %v", key, got, want)
		}
	}
}

func TestWalkOfNothing(t *testing.T) {
	var zero Walk
	emptied := build(1, 4)
	emptied.Remove(0)
	emptied.Remove(0)
	for what, w := range map[string]Walk{"zero": zero, "empty": New(0).From(1), "emptied": emptied.From(1)} {
		if m, ok := w.Next(); ok {
			t.Errorf("%s: gave %d", what, m)
		}
	}
}

func TestWhatEndsAWalk(t *testing.T) {
	for what, end := range map[string]func(*Ring){
		"a second walk": func(r *Ring) { r.From(9) },
		"Add":           func(r *Ring) { r.Add(9, "new", 1) },
		"Remove":        func(r *Ring) { r.Remove(0) },
	} {
		r := build(4, 16)
		w := r.From(1)
		if _, ok := w.Next(); !ok {
			t.Fatal("the walk did not start")
		}
		end(r)
		if m, ok := w.Next(); ok {
			t.Errorf("after %s the walk gave %d", what, m)
		}
	}
}

// After 2^32 walks the stamps come round; marks of old walks must not hide members.
func TestStampsComeRound(t *testing.T) {
	r := build(4, 16)
	order(r, 1) // marks all with stamp s
	old := r.stamp
	r.stamp = math.MaxUint32
	for r.stamp != old {
		if got := order(r, 1); len(got) != 4 {
			t.Fatalf("stamp %d: walk gave %v", r.stamp, got)
		}
	}
	if got := order(r, 1); len(got) != 4 {
		t.Errorf("walk gave %v", got)
	}
}

func TestAllocs(t *testing.T) {
	r := build(64, 256)
	key := uint64(7)
	if got := testing.AllocsPerRun(100, func() {
		key *= 0x9e3779b97f4a7c15
		w := r.From(key)
		for _, ok := w.Next(); ok; _, ok = w.Next() {
		}
	}); got != 0 {
		t.Errorf("%v allocations per walk, want 0", got)
	}
}

// Owners gives the members in the order of a walk.
func TestOwners(t *testing.T) {
	r := New(8)
	for i, name := range []string{"a", "b", "c", "d", "e"} {
		r.Add(i, name, 1+i%2)
	}
	for key := uint64(1); key < 1<<63; key = key*3 + 1 {
		after, before := r.Owners(key)
		var got []int
		for _, owner := range append(slices.Clone(after), before...) {
			if !slices.Contains(got, int(owner)) {
				got = append(got, int(owner))
			}
		}
		walk := r.From(key)
		for _, member := range got {
			if want, ok := walk.Next(); !ok || want != member {
				t.Fatalf("key %x: %v, a walk gives %d, %v", key, got, want, ok)
			}
		}
	}
}

// Search finds what a search by halves finds, wherever the points are.
func TestSearch(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for _, size := range []int{0, 1, 2, 7, 8, 9, 100, 4096} {
		for _, spread := range []uint{0, 8, 40, 60} { // all over the circle, or close together
			r := New(1)
			for range size {
				r.hash = append(r.hash, random.Uint64()>>spread)
			}
			slices.Sort(r.hash)
			keys := []uint64{0, 1, 1 << 63, ^uint64(0)}
			for _, h := range r.hash {
				keys = append(keys, h-1, h, h+1, random.Uint64(), random.Uint64()>>spread)
			}
			for _, key := range keys {
				if got, want := r.search(key), sort.Search(size, func(i int) bool { return r.hash[i] >= key }); got != want {
					t.Fatalf("%d points within 2^%d, key %x: got %d, want %d", size, 64-spread, key, got, want)
				}
			}
		}
	}
}

// orderBy is order on a ring of which members have such parts.
func orderBy(r *Ring, key uint64, parts []float32) []int {
	var all []int
	w := r.FromBy(key, parts)
	for m, ok := w.Next(); ok; m, ok = w.Next() {
		all = append(all, m)
	}
	return all
}

// Members have keys in proportion to their parts, and a walk still gives each of them once.
func TestParts(t *testing.T) {
	const keys = 20_000
	r, random := build(5, 256), rand.New(rand.NewSource(4))
	for _, parts := range [][]float32{{1, 1, 1, 1, 1}, {1, 0.5, 0.25, 1, 0.1}, {1, 0, 0.001, 0, 0.5}} {
		sum := float32(0)
		for _, part := range parts {
			sum += part
		}
		of := make([]int, len(parts))
		for range keys {
			got := orderBy(r, random.Uint64(), parts)
			of[got[0]]++
			if slices.Sort(got); !slices.Equal(got, []int{0, 1, 2, 3, 4}) {
				t.Fatalf("parts %v: a walk gives %v", parts, got)
			}
		}
		for m, n := range of {
			if want := float64(parts[m] / sum); math.Abs(float64(n)/keys-want) > 0.25*want+0.005 {
				t.Errorf("parts %v: member %d has %.3f of the keys, want %.3f", parts, m, float64(n)/keys, want)
			}
		}
	}
}

// A member whose part falls gives keys away, and nobody else's move; where all take all, or none takes any, the order is the plain ring's.
func TestPartsMoveOnlyTheirKeys(t *testing.T) {
	r, random := build(6, 64), rand.New(rand.NewSource(5))
	before, after := []float32{1, 1, 0.8, 1, 0.6, 1}, []float32{1, 1, 0.3, 1, 0.6, 1}
	moved := 0
	for range 5000 {
		key := random.Uint64()
		from, to := orderBy(r, key, before)[0], orderBy(r, key, after)[0]
		if from != to {
			moved++
			if from != 2 {
				t.Fatalf("key %#x moves from %d to %d, and the part of 2 has fallen", key, from, to)
			}
		}
		for _, parts := range [][]float32{{1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0}} {
			if got, want := orderBy(r, key, parts), order(r, key); !slices.Equal(got, want) {
				t.Fatalf("key %#x: parts %v give %v, want %v", key, parts, got, want)
			}
		}
	}
	if moved == 0 {
		t.Error("no key moves")
	}
}
