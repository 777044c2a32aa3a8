package lrumatch

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// naiveAssign reads the rules of deep-ml problem 437 word by word: lists for memories, searched from end to end.
func naiveAssign(hashes []uint64, replicas, capacity int) (to []int, hits int) {
	remembered := make([][]uint64, replicas) // the oldest first
	load := make([]int, replicas)
	for _, hash := range hashes {
		var among []int
		for r := range replicas {
			if slices.Contains(remembered[r], hash) {
				among = append(among, r)
			}
		}
		if len(among) > 0 {
			hits++
		} else {
			for r := range replicas {
				among = append(among, r)
			}
		}
		chosen := among[0]
		for _, r := range among {
			if load[r] < load[chosen] {
				chosen = r
			}
		}
		to = append(to, chosen)
		load[chosen]++
		if at := slices.Index(remembered[chosen], hash); at >= 0 {
			remembered[chosen] = slices.Delete(remembered[chosen], at, at+1)
		} else if len(remembered[chosen]) >= capacity {
			remembered[chosen] = remembered[chosen][1:]
		}
		remembered[chosen] = append(remembered[chosen], hash)
	}
	return to, hits
}

func TestAssignIsTheNaiveOne(t *testing.T) {
	for seed := range uint64(4000) {
		random := rand.New(rand.NewPCG(seed, 437))
		replicas, capacity := 1+random.IntN(9), 1+random.IntN(12)
		kinds := 1 + random.IntN(60)
		hashes := make([]uint64, random.IntN(200))
		for i := range hashes {
			hashes[i] = uint64(random.IntN(kinds))
			if random.IntN(8) == 0 {
				hashes[i] = random.Uint64()
			}
		}
		want, wantHits := naiveAssign(hashes, replicas, capacity)
		match, hits := New(replicas, capacity, 0, 0), 0
		for i, hash := range hashes {
			got, hit := match.Assign(hash)
			if hit {
				hits++
			}
			if got != want[i] {
				t.Fatalf("seed %d, %d replicas of %d, request %d: replica %d, want %d", seed, replicas, capacity, i, got, want[i])
			}
		}
		if hits != wantHits {
			t.Fatalf("seed %d: %d hits, want %d", seed, hits, wantHits)
		}
	}
}
