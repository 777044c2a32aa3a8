package speed

import (
	"math"
	"math/rand/v2"
	"testing"
)

// kindsPool has endpoints whose caches have those sizes, of which each that has shown something gave n responses that took by times as long.
func kindsPool(seed uint64, sizes []float64, shown []int, by []float64) *Speeds {
	all, random := newSpeeds(len(sizes)), rand.New(rand.NewPCG(seed, 11))
	for i, size := range sizes {
		all.Size(i, size)
	}
	for k := range 100 {
		for i, n := range shown {
			if k < n {
				answers(all, random, i, 1, 0.02*by[i], 100e-6*by[i], 0.2)
			}
		}
		all.Compare(int64(k) * 1e9)
	}
	return all
}

// What some of a kind have shown tells of those that have shown nothing.
func TestKindsLearnTogether(t *testing.T) {
	for seed := range uint64(20) {
		all := kindsPool(seed, []float64{4e5, 4.1e5, 3.95e5, 5e4, 5.1e4, 4.95e4}, []int{40, 0, 3, 40, 0, 3}, []float64{1, 1, 1, 4, 4, 4})
		for i := range 3 {
			if got := all.Times(3+i) / all.Times(i); math.Abs(got/4-1) > 0.3 {
				t.Errorf("seed %d: endpoint %d of the slow kind counts as %.2f × as slow as %d of the fast one, want 4", seed, 3+i, got, i)
			}
		}
		if all.Times(3) != all.Times(4) || all.Times(0) != all.Times(1) {
			t.Errorf("seed %d: endpoints of one kind do not count as equal: %v %v, %v %v", seed, all.Times(0), all.Times(1), all.Times(3), all.Times(4))
		}
	}
}

// Two kinds of four that take 2.2 times as long are told apart by a few responses of each endpoint, which alone would all be taken for equal.
func TestKindsAreToldApartSooner(t *testing.T) {
	shown, by := []int{10, 10, 10, 10, 10, 10, 10, 10}, []float64{1, 1, 1, 1, 2.2, 2.2, 2.2, 2.2}
	told, alone := 0, 0
	for seed := range uint64(20) {
		apart := func(sizes ...float64) bool {
			all := kindsPool(seed, sizes, shown, by)
			times := all.Times(7) / all.Times(0)
			return times > 1.5 && times < 3
		}
		if apart(9, 9, 9, 9, 5, 5, 5, 5) {
			told++
		}
		if apart(9, 9, 9, 9, 9, 9, 9, 9) {
			alone++
		}
	}
	if told < 18 || alone > 5 {
		t.Errorf("two kinds are told apart in %d of 20 pools, endpoints of one size in %d", told, alone)
	}
}

// Other memory is no other speed.
func TestKindsOfEqualSpeed(t *testing.T) {
	for seed := range uint64(40) {
		if all := kindsPool(seed, []float64{9, 9, 9, 5, 5, 5}, []int{60, 60, 60, 60, 60, 60}, []float64{1, 1, 1, 1.1, 1.1, 1.1}); all.mixed {
			t.Errorf("seed %d: kinds that are a tenth apart count as of different speed", seed)
		}
	}
}

// One of a kind that is slow by itself counts as slow, the others of its kind do not.
func TestOneOfAKind(t *testing.T) {
	for seed := range uint64(20) {
		all := kindsPool(seed, []float64{9, 9, 9, 9, 5, 5, 5, 5}, []int{60, 60, 60, 60, 60, 60, 60, 60}, []float64{1, 1, 1, 6, 2, 2, 2, 2})
		if got := all.Times(3) / all.Times(0); math.Abs(got/6-1) > 0.35 {
			t.Errorf("seed %d: the slow one of the fast kind counts as %.2f × as slow, want 6", seed, got)
		}
		if got := all.Times(4) / all.Times(0); math.Abs(got/2-1) > 0.35 {
			t.Errorf("seed %d: the slow kind counts as %.2f × as slow, want 2", seed, got)
		}
	}
}

// As long as one of a slow kind is seen to be slow, slowness of the others does not fade; then it does.
func TestSlownessOfAKindFadesTogether(t *testing.T) {
	all, random := newSpeeds(4), rand.New(rand.NewPCG(1, 13))
	for i, size := range []float64{9, 9, 5, 5} {
		all.Size(i, size)
	}
	now := int64(1e9)
	second := func(responses ...int) {
		now += 1e9
		for i, n := range responses {
			by := []float64{1, 1, 5, 5}[i]
			answers(all, random, i, n, 0.02*by, 100e-6*by, 0.2)
		}
		all.Compare(now)
	}
	for range 60 {
		second(1, 1, 1, 1)
	}
	whole := all.Times(3) / all.Times(0)
	for range 600 {
		second(1, 1, 1, 0)
	}
	if got := all.Times(3) / all.Times(0); math.Abs(got/whole-1) > 0.1 {
		t.Errorf("ten minutes later, the other one of its kind having been asked, it counts as %.2f × as slow, want %.2f", got, whole)
	}
	for range 3000 {
		second(1, 1, 0, 0)
	}
	for i := 2; i < 4; i++ {
		if got := all.Times(i) / all.Times(0); got > 0.7*whole {
			t.Errorf("of a kind that nobody has asked for 50 minutes endpoint %d still counts as %.2f × as slow, was %.2f", i, got, whole)
		}
	}
}

// Sizes that are alike are one kind, however many endpoints join and leave; of very many kinds the last count as of unknown size.
func TestKindsBySize(t *testing.T) {
	all := newSpeeds(40)
	for i := range 40 {
		all.Size(i, 1e5*math.Pow(1.2, float64(i)))
	}
	all.sort()
	if len(all.kinds) != mostKinds+1 || all.ends[0].kind == all.ends[1].kind || all.ends[39].kind != 0 {
		t.Errorf("%d kinds, the first endpoints' %d and %d, the last one's %d", len(all.kinds), all.ends[0].kind, all.ends[1].kind, all.ends[39].kind)
	}
	for i := range 40 {
		all.Size(i, 1e5*(1+float64(i)/1000))
	}
	all.Size(7, 0)
	all.Set(9, false)
	all.sort()
	for i := range 40 {
		want := uint8(1)
		if i == 7 || i == 9 {
			want = 0
		}
		if all.ends[i].kind != want {
			t.Errorf("endpoint %d is of kind %d, want %d", i, all.ends[i].kind, want)
		}
	}
}

// Where each endpoint is of a kind of its own, as servers that take unlike parts of their cards' memory are, each counts as it has shown.
func TestKindsOfOne(t *testing.T) {
	const n = 8
	for _, by := range []float64{2, 3} {
		mean := 0.
		for seed := range uint64(20) {
			var sizes, times []float64
			var shown []int
			for i := range n {
				sizes, shown, times = append(sizes, 1e5*math.Pow(1.12, float64(i))), append(shown, 100), append(times, 1)
			}
			times[n-1] = by
			all := kindsPool(seed, sizes, shown, times)
			mean += all.Times(n-1) / all.Times(0) / 20
		}
		if math.Abs(mean/by-1) > 0.1 {
			t.Errorf("one of %d that takes %v times as long counts as taking %.2f times", n, by, mean)
		}
	}
}

// An endpoint that has shown little, alone of its kind, is not taken for one of mean speed where others tell that endpoints differ.
func TestLittleOfAKind(t *testing.T) {
	for seed := range uint64(20) {
		all := kindsPool(seed, []float64{9, 9, 9, 9, 9, 9, 5}, []int{60, 60, 60, 60, 5, 5, 5}, []float64{1, 1, 1, 6, 2, 2, 2})
		if got := all.Times(6) / all.Times(0); !all.odd.is || got < 1.2 || got > 3 {
			t.Errorf("seed %d: it counts as taking %.2f times as long, took 2", seed, got)
		}
	}
}
