package ring

import (
	"fmt"
	"math"
	"math/rand"
	"slices"
	"testing"
)

func name(i int) string { return fmt.Sprintf("10.0.%d.%d:8000", i/256, i%256) }

// build returns a ring of members 0..n-1 with weight 1.
func build(n, vnodes int) *Ring {
	r := New(vnodes)
	for i := range n {
		r.Add(i, name(i), 1)
	}
	r.settle()
	return r
}

// owners returns the owner of each of n fixed keys.
func owners(r *Ring, n int) []int {
	random := rand.New(rand.NewSource(1))
	all := make([]int, n)
	for i := range all {
		w := r.From(random.Uint64())
		all[i], _ = w.Next()
	}
	return all
}

// shares returns the part of the circle that each member owns, exactly.
func shares(r *Ring) []float64 {
	r.settle()
	all := make([]float64, len(r.slots))
	before := r.hash[len(r.hash)-1]
	for i, hash := range r.hash {
		all[r.owner[i]] += float64(hash-before) / math.Pow(2, 64) // wraps at the first
		before = hash
	}
	return all
}

func TestRemovingMovesOnlyTheMembersKeys(t *testing.T) {
	r := build(16, 256)
	before := owners(r, 20_000)
	r.Remove(5)
	moved := 0
	for i, after := range owners(r, 20_000) {
		switch {
		case before[i] == 5:
			moved++
			if after == 5 {
				t.Fatalf("key %d still belongs to the removed member", i)
			}
		case after != before[i]:
			t.Fatalf("key %d moved from %d to %d when 5 was removed", i, before[i], after)
		}
	}
	if moved == 0 {
		t.Fatal("member 5 owned no key")
	}
}

func TestAddingMovesKeysOnlyToTheNewMember(t *testing.T) {
	r := build(16, 256)
	before := owners(r, 20_000)
	r.Add(16, name(16), 1)
	gained := 0
	for i, after := range owners(r, 20_000) {
		if after == before[i] {
			continue
		}
		gained++
		if after != 16 {
			t.Fatalf("key %d moved from %d to %d when 16 was added", i, before[i], after)
		}
	}
	if want := 20_000 / 17; gained < want*7/10 || gained > want*13/10 {
		t.Errorf("the new member got %d keys, want about %d", gained, want)
	}
}

// A share is the sum of 256 gaps, so that its relative standard deviation is
// 1/√256 = 6.25 %. ±15 % is 2.4 of them, which a few of many members exceed; ±25 %
// is 4, which none may.
func TestSharesAreFair(t *testing.T) {
	members, outside, squares := 0, 0, 0.0
	for n := 3; n <= 64; n++ {
		for member, share := range shares(build(n, 256)) {
			deviation := share*float64(n) - 1
			if math.Abs(deviation) > 0.25 {
				t.Errorf("%d members: %d owns %.3f of a fair share", n, member, deviation+1)
			}
			if math.Abs(deviation) > 0.15 {
				outside++
			}
			members++
			squares += deviation * deviation
		}
	}
	sigma := math.Sqrt(squares / float64(members))
	t.Logf("standard deviation %.4f; %d of %d shares off by more than 15 %%", sigma, outside, members)
	if sigma > 1.1/16 {
		t.Errorf("standard deviation of shares is %.4f, want 1/√256 = %.4f", sigma, 1./16)
	}
	if outside*100 > members*3 {
		t.Errorf("%d of %d shares are off by more than 15 %%, want at most 3 in 100", outside, members)
	}
}

func TestWeightsScaleShares(t *testing.T) {
	r := New(256)
	total := 0
	for i, weight := range []int{1, 2, 4, 8} {
		r.Add(i, name(i), weight)
		total += weight
	}
	for i, share := range shares(r) {
		want := float64(int(1)<<i) / float64(total)
		if math.Abs(share/want-1) > 0.15 {
			t.Errorf("weight %d owns %.3f of the ring, want %.3f", 1<<i, share, want)
		}
	}
}

func TestOrderDoesNotDependOnTheOrderOfAdds(t *testing.T) {
	a, b := build(20, 64), New(64)
	for _, i := range rand.New(rand.NewSource(2)).Perm(20) {
		b.Add(i, name(i), 1)
	}
	b.Add(20, name(20), 3)
	b.Remove(20)
	b.Add(7, "other", 2)
	b.Add(7, name(7), 1)
	b.settle()
	if !slices.Equal(a.hash, b.hash) || !slices.Equal(a.owner, b.owner) {
		t.Error("two rings of the same members differ")
	}
}

// The order is to depend on names, not on slots, even where hashes are equal.
func TestTiesAreOrderedByName(t *testing.T) {
	tie := func(slots ...string) []string {
		r := New(1)
		for i, n := range slots {
			r.slots = append(r.slots, slot{name: n, points: 1})
			r.merge([]uint64{42}, []int32{int32(i)})
		}
		var names []string
		for _, owner := range r.owner {
			names = append(names, r.slots[owner].name)
		}
		return names
	}
	want := []string{"a", "b", "c"}
	for _, slots := range [][]string{{"a", "b", "c"}, {"c", "b", "a"}, {"b", "c", "a"}} {
		if got := tie(slots...); !slices.Equal(got, want) {
			t.Errorf("added as %v: order %v, want %v", slots, got, want)
		}
	}
}

// A name and a number in decimal collide: "a1" and 1 is "a" and 11.
func TestNamesAndNumbersDoNotCollide(t *testing.T) {
	r := New(64)
	for i, n := range []string{"a", "a1", "a11", "a\x00", "a\x00\x00"} {
		r.Add(i, n, 1)
	}
	r.settle()
	if got, want := len(slices.Compact(slices.Clone(r.hash))), 5*64; got != want {
		t.Errorf("%d distinct points, want %d", got, want)
	}
}

func TestAddRefusesWhatDoesNotFit(t *testing.T) {
	r := build(2, 4096)
	points := r.Points()
	for _, c := range []struct {
		what           string
		member, weight int
		want           bool
	}{
		{"a negative slot", -1, 1, false},
		{"a slot too high", MaxMembers, 1, false},
		{"too many points", 2, MaxPoints/4096 - 1, false},
		{"a weight that overflows", 2, math.MaxInt, false},
		{"a replacement too heavy", 1, MaxPoints / 4096, false},
		{"the last slot", MaxMembers - 1, 1, true},
	} {
		if got := r.Add(c.member, "n", c.weight); got != c.want {
			t.Errorf("%s: Add reports %v, want %v", c.what, got, c.want)
		}
		if !c.want && (r.Points() != points || r.Members() != 2 || !r.Has(1)) {
			t.Errorf("%s: the ring has changed", c.what)
		}
	}
	r.Remove(MaxMembers - 1)
	if !r.Add(1, name(1), MaxPoints/4096-1) || r.Points() != MaxPoints {
		t.Errorf("a replacement that fills the ring is refused, %d points", r.Points())
	}
}

// Random adds and removes, some with a walk between them and some without, keep the ring equal to one made from nothing.
func TestRingStaysSorted(t *testing.T) {
	random := rand.New(rand.NewSource(3))
	r, weights, names := New(8), map[int]int{}, map[int]string{}
	for range 2000 {
		member := random.Intn(12)
		if random.Intn(2) == 0 {
			weights[member], names[member] = 1+random.Intn(3), name(random.Intn(2)*100+member)
			r.Add(member, names[member], weights[member])
		} else {
			delete(weights, member)
			r.Remove(member)
		}
		if random.Intn(3) > 0 {
			continue
		}
		r.settle()
		want, points := New(8), 0
		for m, weight := range weights {
			points += 8 * weight
			if !r.Has(m) {
				t.Fatalf("member %d is not there", m)
			}
			want.Add(m, names[m], weight)
		}
		want.settle()
		if r.Members() != len(weights) || r.Points() != points || len(r.owner) != points {
			t.Fatalf("%d members and %d points, want %d and %d", r.Members(), r.Points(), len(weights), points)
		}
		if !slices.IsSorted(r.hash) || !slices.Equal(r.hash, want.hash) || !slices.Equal(r.owner, want.owner) {
			t.Fatal("the points are not those of a new ring")
		}
	}
}

// Where nobody walks, members that come and go take no memory.
func TestAddsWithoutWalks(t *testing.T) {
	r := build(3, 8)
	for range 1000 {
		r.Add(3, name(3), 1)
		r.Remove(3)
	}
	if len(r.added) > 2*len(r.slots) || len(r.hash) > 4*8 {
		t.Errorf("%d members to come, %d points", len(r.added), len(r.hash))
	}
}
